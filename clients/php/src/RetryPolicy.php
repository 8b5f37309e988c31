<?php

declare(strict_types=1);

namespace PesaPost;

use InvalidArgumentException;

/** How often and after how long a call is retried (SDK-2); times in seconds. */
final readonly class RetryPolicy
{
    private const MAX_RETRIES = 20;

    /**
     * @param int $maxRetries retries after the first try, 20 at most; 0 for none
     * @param float $baseDelay the delay before the first retry; it doubles for each further one
     * @param float $maxDelay the longest delay; if the service asks for more by Retry-After, the call fails at once
     *
     * @throws InvalidArgumentException
     */
    public function __construct(
        public int $maxRetries = 4,
        public float $baseDelay = 0.5,
        public float $maxDelay = 20.0,
    ) {
        if ($maxRetries < 0 || $maxRetries > self::MAX_RETRIES) {
            throw new InvalidArgumentException('maxRetries must be from 0 to ' . self::MAX_RETRIES);
        }
        foreach ([$baseDelay, $maxDelay] as $delay) {
            // Written so that NAN is refused.
            if (!($delay >= 0 && $delay < INF)) {
                throw new InvalidArgumentException('baseDelay and maxDelay must be seconds, 0 or more');
            }
        }
    }
}
