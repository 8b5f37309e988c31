<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use InvalidArgumentException;

/**
 * A call of the API, before it is signed.
 *
 * @internal
 */
final readonly class ApiCall
{
    /**
     * @param string $path percent-encoded
     * @param list<array{string, string}> $query names and values
     * @param float $until the time by Connection::time() at which the last try must have ended
     */
    private function __construct(
        public string $method,
        public string $path,
        public array $query = [],
        public ?string $body = null,
        public ?string $idempotencyKey = null,
        public ?string $minPosition = null,
        public ?string $atPosition = null,
        public float $until = INF,
    ) {
    }

    /**
     * Returns a POST under one key, however often it is sent (SDK-4).
     *
     * @param array<string, mixed> $body
     *
     * @throws InvalidArgumentException for an amount or a key that cannot be sent
     */
    public static function post(string $path, array $body, ?string $idempotencyKey): self
    {
        $key = $idempotencyKey ?? self::uuid();
        if (preg_match('/^[\x21-\x7e]{1,255}$/D', $key) !== 1) {
            throw new InvalidArgumentException('idempotencyKey must be 1 to 255 visible ASCII characters');
        }
        return new self('POST', $path, body: Json::encode($body), idempotencyKey: $key);
    }

    /**
     * @param array<string, int|string|null> $filters those that are null are not sent
     *
     * @throws InvalidArgumentException for a filter or a position that cannot be sent
     */
    public static function get(
        string $path,
        array $filters = [],
        ?string $minPosition = null,
        ?string $atPosition = null,
        float $until = INF,
    ): self {
        foreach ([$minPosition, $atPosition] as $position) {
            if ($position !== null && preg_match('/^[\x21-\x7e]+$/D', $position) !== 1) {
                throw new InvalidArgumentException('minPosition and atPosition must be a ledgerPosition');
            }
        }
        $query = [];
        foreach ($filters as $name => $value) {
            if (!is_int($value) && !is_string($value) && $value !== null) {
                throw new InvalidArgumentException("$name must be text or an int");
            }
            if ($value !== null) {
                $query[] = [(string) $name, (string) $value];
            }
        }
        return new self('GET', $path, $query, minPosition: $minPosition, atPosition: $atPosition, until: $until);
    }

    /** Returns a random UUID (RFC 9562, version 4). */
    public static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    public function name(): string
    {
        return "$this->method $this->path";
    }
}
