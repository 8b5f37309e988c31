<?php

declare(strict_types=1);

namespace PesaPost;

use PesaPost\Internal\Failure;
use RuntimeException;

/**
 * A failed call (SDK-10). $kind is the group, and $errorCode the exact error.
 *
 * No error contains a secret, a token or a key. A mistake of the calling program, such as an amount that is a float, is
 * an InvalidArgumentException or a TypeError.
 */
class PesaPostException extends RuntimeException
{
    /** One of PesaPost's codes, or of the client's own. */
    public readonly string $errorCode;
    /** The group of the code. */
    public readonly ErrorKind $kind;
    /** HTTP status; null if no answer came. */
    public readonly ?int $status;
    /** One sentence that names the field and the rule, if the service gave one. */
    public readonly ?string $detail;
    /** X-Request-Id: quote it when you ask for help. */
    public readonly ?string $requestId;
    /** The seconds that the service asked for, if it did. */
    public readonly ?int $retryAfterSeconds;
    /** The code as received, if $errorCode is unknown_code. */
    public readonly ?string $wireCode;

    /**
     * @internal
     *
     * @param string $call method and path
     * @param int $attempts the number of times the request was sent
     * @param string|null $idempotencyKey a later call with it and the same body repeats this call and starts no other
     */
    public function __construct(
        Failure $failure,
        public readonly string $call,
        public readonly int $attempts,
        public readonly ?string $idempotencyKey = null,
    ) {
        $this->errorCode = $failure->code;
        $this->kind = $failure->kind;
        $this->status = $failure->status;
        $this->detail = $failure->detail;
        $this->requestId = $failure->requestId;
        $this->retryAfterSeconds = $failure->retryAfterSeconds;
        $this->wireCode = $failure->wireCode;
        parent::__construct("$call: " . $failure->sentence(), 0, $failure->previous);
    }
}
