<?php

declare(strict_types=1);

namespace PesaPost\Internal;

/**
 * An answer, read to its end.
 *
 * @internal
 */
final readonly class HttpAnswer
{
    /** @param array<string, list<string>> $headers by names in lower case */
    public function __construct(public int $status, private array $headers, public string $text)
    {
    }

    /** Returns the header; null if it is absent. */
    public function header(string $name): ?string
    {
        $values = $this->headers[strtolower($name)] ?? null;
        return $values === null ? null : implode(', ', $values);
    }
}
