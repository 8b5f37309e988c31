<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** A collection, its postings, and the proof that they are history. */
final readonly class Receipt
{
    use FromMembers;

    /**
     * @param list<array<string, mixed>> $postings
     * @param array<string, mixed>|null $head null before the first day is sealed
     * @param string $text the answer, byte for byte; store it unchanged, because anyone can check it
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public Transaction $item = new Transaction(),
        public array $postings = [],
        public ?array $head = null,
        public string $text = '',
        public array $members = [],
    ) {
    }
}
