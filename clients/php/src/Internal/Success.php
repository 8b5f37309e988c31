<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use DateTimeImmutable;
use DateTimeZone;
use Exception;
use PesaPost\Answer\CreatedItem;
use PesaPost\ErrorKind;
use TypeError;

/**
 * An answer of 2xx that has a JSON object.
 *
 * @internal
 */
final readonly class Success
{
    /** @param array<string, mixed> $members */
    private function __construct(private HttpAnswer $answer, public array $members)
    {
    }

    /** Reads the answer or its failure. A date in Retry-After counts from $now. */
    public static function read(string $path, HttpAnswer $answer, float $now): self|Failure
    {
        $members = Json::object($answer->text);
        if ($members === null || $answer->status < 200 || $answer->status > 299) {
            return self::failure($answer, $members ?? [], $now);
        }
        $success = new self($answer, $members);
        $differs = $answer->header('X-PP-Differs');
        if ($differs === null) {
            return $success;
        }
        try {
            return Failure::different($path, CreatedItem::of($members, $success->creation()), $differs);
        } catch (TypeError) {
            return $success->unexpected();
        }
    }

    /** Returns the failure of an answer whose members are of other types than expected. */
    public function unexpected(): Failure
    {
        return Failure::unexpected($this->answer->status, $this->answer->header('X-Request-Id'));
    }

    /**
     * Returns a member that must be a list.
     *
     * @return list<array<string, mixed>>
     *
     * @throws TypeError
     */
    public function list(string $name): array
    {
        return $this->members[$name] ?? throw new TypeError("$name is no list");
    }

    public function text(): string
    {
        return $this->answer->text;
    }

    /** @return array{ledgerPosition: string|null} */
    public function position(): array
    {
        return ['ledgerPosition' => $this->answer->header('X-PP-Ledger-Position')];
    }

    /** @return array{ledgerPosition: string|null, replayed: bool} */
    public function decision(): array
    {
        return $this->position() + ['replayed' => $this->answer->header('Idempotent-Replayed') === 'true'];
    }

    /** @return array{ledgerPosition: string|null, replayed: bool, existing: bool} */
    public function creation(): array
    {
        return $this->decision() + ['existing' => $this->answer->header('X-PP-Existing') === 'true'];
    }

    /** @param array<string, mixed> $members */
    private static function failure(HttpAnswer $answer, array $members, float $now): Failure
    {
        $requestId = $answer->header('X-Request-Id');
        $retryAfter = self::retryAfter($answer->header('Retry-After'), $now);
        $code = $members['error'] ?? null;
        $detail = $members['detail'] ?? null;
        if (!is_string($code) || $answer->status < 400) {
            return Failure::unexpected($answer->status, $requestId, $retryAfter);
        }
        $kind = ErrorKind::CODES[$code] ?? null;
        return new Failure(
            $kind === null ? 'unknown_code' : $code,
            $kind ?? ErrorKind::Unknown,
            $answer->status,
            is_string($detail) ? $detail : null,
            $requestId,
            $retryAfter,
            $kind === null ? $code : null,
        );
    }

    /** Reads seconds or a date (RFC 9110, section 10.2.3); null for anything else. */
    private static function retryAfter(?string $text, float $now): ?int
    {
        if ($text === null || preg_match('/^[0-9]{1,9}$/D', $text) === 1) {
            return $text === null ? null : (int) $text;
        }
        // PHP also reads "tomorrow".
        if (preg_match('/^[A-Z][a-z]{2,8},? .*[0-9]{2}:[0-9]{2}:[0-9]{2}/', $text) !== 1) {
            return null;
        }
        try {
            $until = new DateTimeImmutable($text, new DateTimeZone('UTC'));
        } catch (Exception) {
            return null;
        }
        return max(0, (int) ceil($until->getTimestamp() - $now));
    }
}
