<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** A page of the feed, by sequence. The data is empty if there is nothing newer. */
final readonly class EventsPage
{
    use FromMembers;

    /**
     * @param list<Event> $data
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public array $data = [],
        public int $next_after_sequence = 0,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
