<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use InvalidArgumentException;

/**
 * The string to sign of a request (AUTH-11, AUTH-12).
 *
 * @internal
 */
final class Signing
{
    /** Percent-encodes by RFC 3986: only unreserved characters are kept. */
    public static function encodePart(string $text): string
    {
        if (preg_match('//u', $text) !== 1) {
            throw new InvalidArgumentException('a path or a query contains text that is not UTF-8');
        }
        return rawurlencode($text);
    }

    /**
     * Returns the one spelling that both ends sign: encoded, sorted and joined.
     *
     * @param list<array{string, string}> $parameters names and values
     */
    public static function encodeQuery(array $parameters): string
    {
        $encoded = array_map(
            static fn (array $one): array => [self::encodePart($one[0]), self::encodePart($one[1])],
            $parameters,
        );
        // PHP's own comparison would take texts of digits for numbers.
        usort($encoded, static fn (array $one, array $other): int =>
            strcmp($one[0], $other[0]) ?: strcmp($one[1], $other[1]));
        return implode('&', array_map(static fn (array $one): string => "$one[0]=$one[1]", $encoded));
    }

    /** Returns the canonical spelling of a query as sent. */
    public static function canonicalQuery(string $rawQuery): string
    {
        $parameters = [];
        foreach (explode('&', $rawQuery) as $segment) {
            if (preg_match('/^(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*$/D', $segment) !== 1) {
                throw new InvalidArgumentException('a query contains a character that must be percent-encoded');
            }
            if ($segment !== '') {
                $parts = explode('=', $segment, 2);
                $parameters[] = [rawurldecode($parts[0]), rawurldecode($parts[1] ?? '')];
            }
        }
        return self::encodeQuery($parameters);
    }

    /** Returns the six lines of AUTH-11. */
    public static function stringToSign(
        string $method,
        string $rawPath,
        string $rawQuery,
        string $body,
        string $nonce,
        string $timestamp,
    ): string {
        $query = self::canonicalQuery($rawQuery);
        return implode("\n", [$method, $rawPath, $query, hash('sha256', $body), $nonce, $timestamp]);
    }
}
