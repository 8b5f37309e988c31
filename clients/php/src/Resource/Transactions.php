<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use Generator;
use InvalidArgumentException;
use PesaPost\Answer\Transaction;
use PesaPost\Answer\TransactionsPage;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Failure;
use PesaPost\Internal\Success;
use PesaPost\PesaPostException;

/**
 * The list of collections and payouts, newest first.
 *
 * The filters are type, status, from, to, date_field, batch, origin, limit and cursor. The days from and to are
 * inclusive, and limit is the number of items on a page.
 */
final readonly class Transactions
{
    private const PATH = '/api/v4/transactions';

    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Returns one page: at least as new as $minPosition, or as it was at $atPosition.
     *
     * @param array<string, int|string|null> $filters
     *
     * @throws PesaPostException
     * @throws InvalidArgumentException if a filter cannot be sent
     */
    public function list(
        array $filters = [],
        ?string $minPosition = null,
        ?string $atPosition = null,
    ): TransactionsPage {
        return $this->connection->send(
            ApiCall::get(self::PATH, $filters, $minPosition, $atPosition),
            static fn (Success $answer): TransactionsPage => TransactionsPage::of($answer->members, [
                'data' => array_map(Transaction::of(...), $answer->list('data')),
            ] + $answer->position()),
        );
    }

    /**
     * Yields page after page, each fetched when it is needed (SDK-14).
     *
     * To continue on another day, store the last page's $next_cursor.
     *
     * @param array<string, int|string|null> $filters
     *
     * @return Generator<int, TransactionsPage>
     *
     * @throws PesaPostException
     */
    public function pages(
        array $filters = [],
        ?string $minPosition = null,
        ?string $atPosition = null,
    ): Generator {
        while (true) {
            $page = $this->list($filters, $minPosition, $atPosition);
            yield $page;
            $hasEnd = array_key_exists('next_cursor', $page->members);
            if ($page->next_cursor === null && $hasEnd) {
                return;
            }
            // A cursor that leads to itself, or none, would be followed for ever.
            if (in_array($page->next_cursor, [null, '', $filters['cursor'] ?? null], true)) {
                throw Failure::unexpected(200)->of('GET ' . self::PATH);
            }
            $filters['cursor'] = $page->next_cursor;
        }
    }

    /**
     * Yields every item of every page.
     *
     * @param array<string, int|string|null> $filters
     *
     * @return Generator<int, Transaction>
     *
     * @throws PesaPostException
     */
    public function all(
        array $filters = [],
        ?string $minPosition = null,
        ?string $atPosition = null,
    ): Generator {
        foreach ($this->pages($filters, $minPosition, $atPosition) as $page) {
            // With "yield from", the items of each page would have the same keys.
            foreach ($page->data as $item) {
                yield $item;
            }
        }
    }
}
