<?php

declare(strict_types=1);

namespace PesaPost;

use InvalidArgumentException;
use PesaPost\Answer\Event;
use PesaPost\Internal\Json;
use SensitiveParameter;
use TypeError;

/** Verifies webhooks (SDK-17). */
final class Webhook
{
    /** How far a timestamp may be from now, in either direction. */
    public const TOLERANCE_SECONDS = 300;
    /** A rotation has two. A sender with more only makes us work. */
    private const MAX_SIGNATURES = 8;

    /**
     * Verifies that a request is PesaPost's webhook, unchanged and recent, and returns its event.
     *
     * @param string $body the raw bytes: file_get_contents('php://input'), or $request->getContent() in Laravel and
     *     Symfony; never JSON that was parsed and written again
     * @param array<array-key, mixed> $headers getallheaders(), $_SERVER, $request->headers->all() of Laravel and
     *     Symfony, or getHeaders() of PSR-7
     * @param string|list<string> $secrets the endpoint's secret; during a rotation, the new one and the old one
     * @param int|float|null $now Unix time in seconds; the current time if it is null
     *
     * @throws WebhookVerificationException
     * @throws InvalidArgumentException if there is no secret to verify with
     */
    public static function verify(
        string $body,
        array $headers,
        #[SensitiveParameter] string|array $secrets,
        int|float $toleranceSeconds = self::TOLERANCE_SECONDS,
        int|float|null $now = null,
    ): Event {
        $secrets = (array) $secrets;
        if ($secrets === [] || in_array('', $secrets, true)) {
            throw new InvalidArgumentException('secrets has no webhook secret; an empty one would verify anything');
        }
        $id = self::header($headers, 'pesapost-event-id');
        $timestamp = self::header($headers, 'pesapost-timestamp');
        $signatures = self::signatures(self::header($headers, 'pesapost-signature'));
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
            throw new WebhookVerificationException('malformed_timestamp');
        }
        if (!self::anyMatches($secrets, $signatures, "$id.$timestamp.$body")) {
            throw new WebhookVerificationException('no_matching_signature');
        }
        // Written so that a tolerance or a clock that is NAN refuses.
        if (!(abs(($now ?? microtime(true)) - (int) $timestamp) <= $toleranceSeconds)) {
            throw new WebhookVerificationException('timestamp_out_of_tolerance');
        }
        try {
            return Event::read(Json::object($body) ?? []);
        } catch (TypeError) {
            throw new WebhookVerificationException('malformed_payload');
        }
    }

    /**
     * Returns the header. One that is absent, empty or present twice is refused.
     *
     * @param array<array-key, mixed> $headers
     */
    private static function header(array $headers, string $name): string
    {
        $found = [];
        foreach ($headers as $each => $values) {
            // In $_SERVER, a name is HTTP_PESAPOST_EVENT_ID.
            $plain = preg_replace('/^http-/', '', strtr(strtolower((string) $each), '_', '-'));
            if ($plain === $name) {
                array_push($found, ...array_values((array) $values));
            }
        }
        if (count($found) !== 1 || !is_string($found[0]) || $found[0] === '') {
            throw new WebhookVerificationException('missing_header');
        }
        return $found[0];
    }

    /** @return list<string> */
    private static function signatures(string $text): array
    {
        $parts = array_map(trim(...), array_slice(explode(',', $text), 0, self::MAX_SIGNATURES));
        $signatures = preg_grep('/^v4=[0-9a-f]{64}$/D', $parts) ?: [];
        if ($signatures === []) {
            throw new WebhookVerificationException('malformed_signature');
        }
        return array_values($signatures);
    }

    /**
     * Tries every secret on every signature, so that the time does not reveal which one matched.
     *
     * @param array<string> $secrets
     * @param list<string> $signatures
     */
    private static function anyMatches(#[SensitiveParameter] array $secrets, array $signatures, string $signed): bool
    {
        $matches = false;
        foreach ($secrets as $secret) {
            $expected = 'v4=' . hash_hmac('sha256', $signed, $secret);
            foreach ($signatures as $signature) {
                $matches = hash_equals($expected, $signature) || $matches;
            }
        }
        return $matches;
    }
}
