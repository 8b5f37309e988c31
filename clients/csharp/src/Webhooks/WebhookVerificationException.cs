namespace PesaPost;

/// <summary>The request is not a valid webhook. Answer 400, and do nothing with its content.</summary>
public sealed class WebhookVerificationException : Exception
{
    internal WebhookVerificationException(string code)
        : base(MessageOf(code)) => Code = code;

    /// <summary>
    /// The reason: missing_header, malformed_timestamp, malformed_signature, no_matching_signature,
    /// timestamp_out_of_tolerance or malformed_payload.
    /// </summary>
    public string Code { get; }

    private static string MessageOf(string code) =>
        code switch
        {
            "missing_header" =>
                "a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each once; "
                + "is this request from PesaPost, and does a proxy keep its headers?",
            "malformed_timestamp" => "PesaPost-Timestamp is not Unix seconds in decimal digits",
            "malformed_signature" =>
                "PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>",
            "no_matching_signature" =>
                "no signature is that of this body under these secrets; pass the raw bytes of the body, and the "
                + "secret of this endpoint and mode",
            "timestamp_out_of_tolerance" =>
                "the webhook is genuine but not of now: it is a replay, or one of the two clocks is wrong",
            _ => "the webhook is genuine but its body is no webhook event",
        };
}
