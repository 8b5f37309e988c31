<?php

declare(strict_types=1);

namespace PesaPost;

/** The group of an error's code (SDK-10). */
enum ErrorKind: string
{
    /** The token, address or signature is wrong. Check the set-up, or a clock. */
    case Authentication = 'authentication';
    /** The request is not well-formed. The detail names the field and the rule. */
    case Request = 'request';
    /** There is no item with that name. */
    case NotFound = 'not_found';
    /** The request is well-formed, and declined. */
    case Refused = 'refused';
    /** The Idempotency-Key is in use, or was used for another body. */
    case Idempotency = 'idempotency';
    /** Try again later. */
    case RateLimit = 'rate_limit';
    /** The service has a problem. Try again later. */
    case Service = 'service';
    /** No answer came, and it is unknown if the request arrived. */
    case Network = 'network';
    /** No answer came in time, and it is unknown if the request arrived. */
    case Timeout = 'timeout';
    /** A wait is over, and the collection may still settle. */
    case NotSettled = 'not_settled';
    /** The answer is not PesaPost's, or its code is newer than this client. */
    case Unknown = 'unknown';

    /** Every error code of PesaPost with its kind. */
    public const CODES = [
        'invalid_token' => self::Authentication,
        'ip_not_allowed' => self::Authentication,
        'missing_signature' => self::Authentication,
        'timestamp_expired' => self::Authentication,
        'invalid_signature' => self::Authentication,
        'invalid_nonce' => self::Authentication,
        'nonce_reused' => self::Authentication,
        'invalid_client' => self::Authentication,
        'unsupported_grant_type' => self::Authentication,
        'missing_idempotency_key' => self::Request,
        'invalid_idempotency_key' => self::Request,
        'invalid_cursor' => self::Request,
        'invalid_request' => self::Request,
        'invalid_account' => self::Request,
        'invalid_phone' => self::Request,
        'invalid_amount' => self::Request,
        'invalid_currency' => self::Request,
        'invalid_channel' => self::Request,
        'invalid_reference' => self::Request,
        'invalid_type' => self::Request,
        'invalid_status' => self::Request,
        'invalid_date' => self::Request,
        'invalid_limit' => self::Request,
        'invalid_position' => self::Request,
        'invalid_sequence' => self::Request,
        'method_not_allowed' => self::Request,
        'payload_too_large' => self::Request,
        'unsupported_media_type' => self::Request,
        'not_found' => self::NotFound,
        'same_holder' => self::Refused,
        'not_refundable' => self::Refused,
        'destination_not_allowed' => self::Refused,
        'not_pending_approval' => self::Refused,
        'not_cancellable' => self::Refused,
        'insufficient_funds' => self::Refused,
        'limit_exceeded' => self::Refused,
        'rail_rejected' => self::Refused,
        'idempotency_in_progress' => self::Idempotency,
        'idempotency_key_reused' => self::Idempotency,
        'rate_limited' => self::RateLimit,
        'internal_error' => self::Service,
        'service_unavailable' => self::Service,
    ];
}
