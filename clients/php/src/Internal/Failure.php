<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use PesaPost\Answer\CreatedItem;
use PesaPost\DifferentItemException;
use PesaPost\ErrorKind;
use PesaPost\PesaPostException;
use Throwable;

/**
 * The reason why a try failed. A member that does not apply is null.
 *
 * @internal
 */
final readonly class Failure
{
    /**
     * @param list<string> $differs
     * @param string|null $sentence what happened, if the status and the code do not say it
     */
    public function __construct(
        public string $code,
        public ErrorKind $kind,
        public ?int $status = null,
        public ?string $detail = null,
        public ?string $requestId = null,
        public ?int $retryAfterSeconds = null,
        public ?string $wireCode = null,
        public array $differs = [],
        public ?CreatedItem $existing = null,
        public ?string $sentence = null,
        public ?Throwable $previous = null,
    ) {
    }

    public static function timeout(float $seconds): self
    {
        return new self('timeout', ErrorKind::Timeout, sentence: "no answer within $seconds s");
    }

    public static function network(Throwable $previous): self
    {
        $sentence = 'no answer: the connection failed or broke';
        return new self('network_failure', ErrorKind::Network, sentence: $sentence, previous: $previous);
    }

    /** Returns the failure of an answer that is not in the shape of PesaPost's (SDK-11). */
    public static function unexpected(int $status, ?string $requestId = null, ?int $retryAfterSeconds = null): self
    {
        return new self(
            'unexpected_answer',
            ErrorKind::Unknown,
            $status,
            requestId: $requestId,
            retryAfterSeconds: $retryAfterSeconds,
            sentence: "$status, not in the shape of a PesaPost answer; is baseUrl right?",
        );
    }

    /** Returns the failure of an answer about an item that differs from the requested one (SDK-5). */
    public static function different(string $path, CreatedItem $existing, string $differs): self
    {
        $fields = preg_split('/, */', $differs) ?: [];
        return new self(
            match (true) {
                $path === '/api/v4/payout-batches' => 'different_payout_batch',
                // A refund of a collection is a payout.
                $path === '/api/v4/payouts', str_ends_with($path, '/refund') => 'different_payout',
                default => 'different_collection',
            },
            ErrorKind::Refused,
            differs: $fields,
            existing: $existing,
            sentence: "$existing->reference is an earlier item of another " . implode(', ', $fields)
                . '; nothing was done',
        );
    }

    /** Returns true if the same call may get another answer (SDK-1). */
    public static function isRetryable(self|PesaPostException $failure): bool
    {
        $code = $failure instanceof self ? $failure->code : $failure->errorCode;
        return in_array($failure->kind, [ErrorKind::Network, ErrorKind::Timeout], true)
            || in_array($failure->status, [429, 503], true)
            || $code === 'idempotency_in_progress';
    }

    public function sentence(): string
    {
        return $this->sentence ?? "$this->status " . ($this->wireCode ?? $this->code)
            . ($this->detail === null ? '' : ": $this->detail");
    }

    /** Returns the exception of a call that failed so. */
    public function of(string $call, int $attempts = 1, ?string $idempotencyKey = null): PesaPostException
    {
        if ($this->existing === null) {
            return new PesaPostException($this, $call, $attempts, $idempotencyKey);
        }
        $facts = [$call, $attempts, $idempotencyKey, $this->differs, $this->existing];
        return new DifferentItemException($this, ...$facts);
    }
}
