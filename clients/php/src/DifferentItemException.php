<?php

declare(strict_types=1);

namespace PesaPost;

use PesaPost\Answer\CreatedItem;
use PesaPost\Internal\Failure;

/**
 * The reference belongs to an earlier item, and the call asked for something else (SDK-5).
 *
 * Nothing was pushed or reserved, and the earlier item's status never answers this call.
 */
final class DifferentItemException extends PesaPostException
{
    /**
     * @internal
     *
     * @param list<string> $differs the call's fields that differ from the earlier item's, such as amount_minor
     * @param CreatedItem $existing the earlier item, in its current state
     */
    public function __construct(
        Failure $failure,
        string $call,
        int $attempts,
        ?string $idempotencyKey,
        public readonly array $differs,
        public readonly CreatedItem $existing,
    ) {
        parent::__construct($failure, $call, $attempts, $idempotencyKey);
    }
}
