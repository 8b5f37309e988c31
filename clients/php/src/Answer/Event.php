<?php

declare(strict_types=1);

namespace PesaPost\Answer;

use TypeError;

/** The body of a webhook, and an item of the feed. */
final readonly class Event
{
    use FromMembers;

    /**
     * @param string $id the same on every delivery of this event; store it, and handle the event once
     * @param int $sequence 1, 2, 3 … per merchant and mode, without gaps
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $id,
        public string $type,
        public string $created_at = '',
        public string $mode = '',
        public int $sequence = 0,
        public Transaction $data = new Transaction(),
        public array $members = [],
    ) {
    }

    /**
     * @internal
     *
     * @param array<string, mixed> $members
     *
     * @throws TypeError if they are not those of an event
     */
    public static function read(array $members): self
    {
        return self::of($members, ['data' => Transaction::of($members['data'] ?? null)]);
    }
}
