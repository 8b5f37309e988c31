<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use Generator;
use PesaPost\Answer\Event;
use PesaPost\Answer\EventsPage;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Failure;
use PesaPost\Internal\Success;
use PesaPost\PesaPostException;

/** The webhooks' events, stored: the same bodies in their order, even if a delivery was lost. */
final readonly class Events
{
    private const PATH = '/api/v4/events';

    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Returns one page of the events after a sequence, that of the last event that you handled.
     *
     * @throws PesaPostException
     */
    public function list(int $afterSequence = 0, ?int $limit = null, ?string $minPosition = null): EventsPage
    {
        return $this->connection->send(
            ApiCall::get(self::PATH, ['after_sequence' => $afterSequence, 'limit' => $limit], $minPosition),
            static fn (Success $answer): EventsPage => EventsPage::of($answer->members, [
                'data' => array_map(Event::read(...), $answer->list('data')),
            ] + $answer->position()),
        );
    }

    /**
     * Yields every event up to the newest, in order (SDK-15).
     *
     * @return Generator<int, Event>
     *
     * @throws PesaPostException such as unexpected_answer if an event is missing between two
     */
    public function all(int $afterSequence = 0, ?int $limit = null, ?string $minPosition = null): Generator
    {
        do {
            $page = $this->list($afterSequence, $limit, $minPosition);
            foreach ($page->data as $event) {
                // A skipped event would never be noticed again.
                if ($event->sequence !== $afterSequence + 1) {
                    throw Failure::unexpected(200)->of('GET ' . self::PATH);
                }
                $afterSequence = $event->sequence;
                yield $event;
            }
        } while ($page->data !== []);
    }
}
