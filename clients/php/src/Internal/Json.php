<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use InvalidArgumentException;
use JsonException;

/**
 * JSON whose numbers are exact: none ever becomes a float (SDK-13).
 *
 * @internal
 */
final class Json
{
    /** A text, which is left as it is, or a number with a fraction or an exponent. */
    private const DECIMAL = '/"(?:[^"\\\\]++|\\\\.)*+"(*SKIP)(*FAIL)'
        . '|-?\d++(?:\.\d++(?:[eE][-+]?\d++)?|[eE][-+]?\d++)/s';

    /**
     * Parses an object. A member whose name ends in _minor is an int, or text of digits beyond 64 bits. Any other
     * number that is no int is text with the digits that were sent.
     *
     * @return array<string, mixed>|null null if the text is no object, or an amount in it is no integer
     */
    public static function object(string $text): ?array
    {
        if (!str_starts_with(ltrim($text), '{')) {
            return null;
        }
        try {
            $value = self::decode($text);
            $quoted = preg_replace(self::DECIMAL, '"$0"', $text, -1, $count);
            // Only JSON may be changed: a number in quotes could make JSON of a text that is none.
            return self::withAmounts($count > 0 ? self::decode((string) $quoted) : $value);
        } catch (JsonException) {
            return null;
        }
    }

    /**
     * Writes a request's body.
     *
     * @param array<string, mixed> $body
     *
     * @throws InvalidArgumentException for an amount that is no integer, for any float, and for text that is not UTF-8
     */
    public static function encode(array $body): string
    {
        self::refuseInexact('the body', $body);
        try {
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
            $json = json_encode((object) $body, $flags);
        } catch (JsonException $error) {
            throw new InvalidArgumentException('the body cannot be sent: ' . $error->getMessage(), 0, $error);
        }
        // A text never contains this: its quotes are escaped.
        return (string) preg_replace('/(_minor":)"(-?\d+)"/', '$1$2', $json);
    }

    /** @return array<string, mixed> */
    private static function decode(string $text): array
    {
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }

    /**
     * @param array<string, mixed> $members
     *
     * @return array<string, mixed>
     */
    private static function withAmounts(array $members): array
    {
        foreach ($members as $name => $value) {
            if (is_array($value)) {
                $members[$name] = self::withAmounts($value);
            } elseif (self::isAmount($name) && is_string($value)) {
                $members[$name] = self::amount($value);
            }
        }
        return $members;
    }

    /** Reads digits that were long or in quotes. */
    private static function amount(string $digits): int|string
    {
        if (preg_match('/^(0|-?[1-9]\d*)$/D', $digits) !== 1) {
            throw new JsonException('an amount is no integer');
        }
        return self::isBeyondInt($digits) ? $digits : (int) $digits;
    }

    private static function refuseInexact(string $name, mixed $value): void
    {
        if (is_array($value)) {
            foreach ($value as $key => $member) {
                self::refuseInexact((string) $key, $member);
            }
            return;
        }
        if (is_float($value) || is_object($value)) {
            throw new InvalidArgumentException("$name must be text or an int, not " . get_debug_type($value));
        }
        $isDigits = is_string($value) && preg_match('/^-?[1-9]\d*$/D', $value) === 1;
        if (self::isAmount($name) && !is_int($value) && !($isDigits && self::isBeyondInt($value))) {
            throw new InvalidArgumentException(
                "$name must be an int in minor units: KES 250.00 is 25000. Only beyond 64 bits, it is text of digits",
            );
        }
    }

    private static function isAmount(int|string $name): bool
    {
        return str_ends_with((string) $name, '_minor');
    }

    private static function isBeyondInt(string $digits): bool
    {
        return (string) (int) $digits !== $digits;
    }
}
