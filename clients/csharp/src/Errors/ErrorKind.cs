using System.Collections.Frozen;

namespace PesaPost;

/// <summary>A group of error codes.</summary>
public enum ErrorKind
{
    /// <summary>The answer is not PesaPost's, or its code is newer than this client.</summary>
    Unknown,

    /// <summary>The token, address or signature is wrong. Check the set-up, or a clock.</summary>
    Authentication,

    /// <summary>The request is not well-formed. The detail names the field and the rule.</summary>
    Request,

    /// <summary>There is no item with that name.</summary>
    NotFound,

    /// <summary>The request is well-formed, and declined.</summary>
    Refused,

    /// <summary>The Idempotency-Key is in use, or was used for another body.</summary>
    Idempotency,

    /// <summary>There were too many calls. Try again later.</summary>
    RateLimit,

    /// <summary>The service cannot answer now. Try again later.</summary>
    Service,

    /// <summary>The connection failed or broke, and it is unknown if the request arrived.</summary>
    Network,

    /// <summary>No answer came in time, and it is unknown if the request arrived.</summary>
    Timeout,

    /// <summary>A wait is over, and the collection may still settle.</summary>
    NotSettled,
}

/// <summary>The error codes of PesaPost.</summary>
public static class ErrorCodes
{
    internal const string InvalidToken = "invalid_token";
    internal const string UnexpectedAnswer = "unexpected_answer";

    /// <summary>Every error code that this client knows, with its kind.</summary>
    public static IReadOnlyDictionary<string, ErrorKind> Kinds { get; } = new Dictionary<string, ErrorKind>
    {
        [InvalidToken] = ErrorKind.Authentication,
        ["ip_not_allowed"] = ErrorKind.Authentication,
        ["missing_signature"] = ErrorKind.Authentication,
        ["timestamp_expired"] = ErrorKind.Authentication,
        ["invalid_signature"] = ErrorKind.Authentication,
        ["invalid_nonce"] = ErrorKind.Authentication,
        ["nonce_reused"] = ErrorKind.Authentication,
        ["invalid_client"] = ErrorKind.Authentication,
        ["unsupported_grant_type"] = ErrorKind.Authentication,
        ["missing_idempotency_key"] = ErrorKind.Request,
        ["invalid_idempotency_key"] = ErrorKind.Request,
        ["invalid_cursor"] = ErrorKind.Request,
        ["invalid_request"] = ErrorKind.Request,
        ["invalid_account"] = ErrorKind.Request,
        ["invalid_phone"] = ErrorKind.Request,
        ["invalid_amount"] = ErrorKind.Request,
        ["invalid_currency"] = ErrorKind.Request,
        ["invalid_channel"] = ErrorKind.Request,
        ["invalid_reference"] = ErrorKind.Request,
        ["invalid_type"] = ErrorKind.Request,
        ["invalid_status"] = ErrorKind.Request,
        ["invalid_date"] = ErrorKind.Request,
        ["invalid_limit"] = ErrorKind.Request,
        ["invalid_position"] = ErrorKind.Request,
        ["invalid_sequence"] = ErrorKind.Request,
        ["method_not_allowed"] = ErrorKind.Request,
        ["payload_too_large"] = ErrorKind.Request,
        ["unsupported_media_type"] = ErrorKind.Request,
        ["not_found"] = ErrorKind.NotFound,
        ["same_holder"] = ErrorKind.Refused,
        ["not_refundable"] = ErrorKind.Refused,
        ["destination_not_allowed"] = ErrorKind.Refused,
        ["not_pending_approval"] = ErrorKind.Refused,
        ["not_cancellable"] = ErrorKind.Refused,
        ["insufficient_funds"] = ErrorKind.Refused,
        ["limit_exceeded"] = ErrorKind.Refused,
        ["rail_rejected"] = ErrorKind.Refused,
        ["idempotency_in_progress"] = ErrorKind.Idempotency,
        ["idempotency_key_reused"] = ErrorKind.Idempotency,
        ["rate_limited"] = ErrorKind.RateLimit,
        ["internal_error"] = ErrorKind.Service,
        ["service_unavailable"] = ErrorKind.Service,
    }.ToFrozenDictionary();
}
