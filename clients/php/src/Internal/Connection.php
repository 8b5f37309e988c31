<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use Closure;
use PesaPost\PesaPostException;
use PesaPost\RetryPolicy;
use TypeError;

/**
 * Sends calls of one credential: token, signature, retries.
 *
 * @internal
 */
final class Connection
{
    private readonly TokenSource $tokens;

    public function __construct(private readonly Settings $settings)
    {
        $this->tokens = new TokenSource($settings);
    }

    /** Returns seconds of a clock that only moves forward. */
    public static function time(): float
    {
        return hrtime(true) / 1e9;
    }

    public static function sleep(float $seconds): void
    {
        $until = self::time() + $seconds;
        // A signal ends a sleep early.
        while (($left = $until - self::time()) > 0) {
            usleep((int) ceil($left * 1e6));
        }
    }

    /**
     * Sends the call until it succeeds or no retry is left (SDK-1). Every try has the same key and the same bytes, with
     * a new nonce and a new timestamp.
     *
     * @template T
     *
     * @param Closure(Success): T $decode
     *
     * @return T
     *
     * @throws PesaPostException
     */
    public function send(ApiCall $call, Closure $decode): mixed
    {
        $isRenewed = false;
        for ($attempts = 1;; $attempts++) {
            $token = $this->tokens->current($this->timeLeft($call));
            $answer = $token instanceof Failure ? $token : $this->attempt($call, $token);
            if ($answer instanceof Success) {
                try {
                    return $decode($answer);
                } catch (TypeError) {
                    throw $answer->unexpected()->of($call->name(), $attempts, $call->idempotencyKey);
                }
            }
            if ($token instanceof Token && $answer->code === 'invalid_token') {
                $this->tokens->forget($token);
                if (!$isRenewed) {
                    // A renewal is no retry (SDK-8).
                    $isRenewed = true;
                    $attempts--;
                    continue;
                }
            }
            $delay = self::retryDelay($answer, $attempts, $this->settings->retries);
            if ($delay === null || self::time() + $delay >= $call->until) {
                throw $answer->of($call->name(), $attempts, $call->idempotencyKey);
            }
            self::sleep($delay);
        }
    }

    private function attempt(ApiCall $call, Token $token): Success|Failure
    {
        $query = Signing::encodeQuery($call->query);
        $nonce = ApiCall::uuid();
        $timestamp = (string) (int) floor(($this->settings->now)());
        $parts = [$call->method, $call->path, $query, $call->body ?? '', $nonce, $timestamp];
        $headers = [
            'Accept' => 'application/json',
            'Authorization' => 'Bearer ' . $token->text(),
            'X-PP-Signature' => $this->settings->signingKey->sign(Signing::stringToSign(...$parts)),
            'X-PP-Nonce' => $nonce,
            'X-PP-Timestamp' => $timestamp,
            'Content-Type' => $call->body === null ? null : 'application/json',
            'Idempotency-Key' => $call->idempotencyKey,
            'X-PP-Min-Position' => $call->minPosition,
            'X-PP-At-Position' => $call->atPosition,
        ];
        $target = $query === '' ? $call->path : "$call->path?$query";
        $http = $this->settings->http;
        $raw = $http->exchange($call->method, $target, $headers, $call->body, $this->timeLeft($call));
        return $raw instanceof Failure ? $raw : Success::read($call->path, $raw, ($this->settings->now)());
    }

    private function timeLeft(ApiCall $call): float
    {
        // For curl, 0 would be no limit.
        return max(0.001, min($this->settings->timeout, $call->until - self::time()));
    }

    /** Returns the seconds before the n-th retry, or null if the failure is final (SDK-2). */
    private static function retryDelay(Failure $failure, int $retry, RetryPolicy $policy): ?float
    {
        $asked = $failure->retryAfterSeconds ?? 0;
        if ($retry > $policy->maxRetries || !Failure::isRetryable($failure) || $asked > $policy->maxDelay) {
            return null;
        }
        $share = random_int(0, 1 << 30) / (1 << 30);
        $jittered = min($policy->maxDelay, $policy->baseDelay * 2 ** ($retry - 1)) * (1 - $share / 2);
        // All callers received the same time, so each waits a little longer at random.
        return $asked === 0 ? $jittered : max($jittered, $asked + $share * $policy->baseDelay);
    }
}
