namespace PesaPost;

/// <summary>A failed call (SDK-10). <see cref="Kind"/> is the group, and <see cref="Code"/> the exact error.</summary>
/// <remarks>
/// It has no secret, token or key in it. A mistake of the calling program is an <see cref="ArgumentException"/>, and a
/// call that the caller canceled ends with an <see cref="OperationCanceledException"/>.
/// </remarks>
public class PesaPostException : Exception
{
    private protected PesaPostException(Failure failure, string call, int attempts, string? idempotencyKey)
        : base($"{call}: {Sentence(failure)}", failure.Cause)
    {
        Failure = failure;
        Call = call;
        Attempts = attempts;
        IdempotencyKey = idempotencyKey;
    }

    /// <summary>The exact error, one of PesaPost's codes or of the client's own.</summary>
    public string Code => Failure.Code;

    /// <summary>The group of the code.</summary>
    public ErrorKind Kind => Failure.Kind;

    /// <summary>The status of HTTP; null if no answer came.</summary>
    public int? Status => Failure.Status;

    /// <summary>One sentence that names the field and the rule, if the service gave one.</summary>
    public string? Detail => Failure.Detail;

    /// <summary>X-Request-Id: quote it when you ask for help.</summary>
    public string? RequestId => Failure.RequestId;

    /// <summary>The time that the service asked for, if it asked for one.</summary>
    public TimeSpan? RetryAfter => Failure.RetryAfter;

    /// <summary>The code as received, if <see cref="Code"/> is unknown_code.</summary>
    public string? WireCode => Failure.WireCode;

    /// <summary>The method and the path.</summary>
    public string Call { get; }

    /// <summary>The number of times that the request was sent.</summary>
    public int Attempts { get; }

    /// <summary>The call's own key.</summary>
    /// <remarks>A later call with it and the same body repeats this call and starts no other.</remarks>
    public string? IdempotencyKey { get; }

    private protected Failure Failure { get; }

    internal bool IsRetryable => Failure.IsRetryable;

    /// <summary>Returns the exception that has the members of this failure.</summary>
    internal static PesaPostException Of(Failure failure, string call, int attempts, string? idempotencyKey = null) =>
        failure switch
        {
            { Existing: not null } => new DifferentItemException(failure, call, attempts, idempotencyKey),
            { Kind: ErrorKind.NotSettled } => new NotSettledException(failure, call, attempts),
            _ => new PesaPostException(failure, call, attempts, idempotencyKey),
        };

    /// <summary>Returns the exception for an answer of 200 whose page does not fit the pages before it.</summary>
    internal static PesaPostException NotAPage(string path) =>
        Of(new Failure(ErrorCodes.UnexpectedAnswer, ErrorKind.Unknown) { Status = 200 }, $"GET {path}", 1);

    private static string Sentence(Failure failure) =>
        failure switch
        {
            { Kind: ErrorKind.Network } => "no answer: the connection failed or broke",
            { Kind: ErrorKind.Timeout } => $"no answer within {failure.Limit}",
            { Kind: ErrorKind.NotSettled } => $"{failure.Last?.Status ?? "unknown status"} after {failure.Limit}",
            { Existing: not null } =>
                $"{failure.Existing.Reference} is an earlier item of another {string.Join(", ", failure.Differs)}; "
                + "nothing was done",
            { Code: ErrorCodes.UnexpectedAnswer } =>
                $"{failure.Status}, not in the shape of a PesaPost answer; is BaseUrl right?",
            { Detail: null } => $"{failure.Status} {failure.WireCode ?? failure.Code}",
            _ => $"{failure.Status} {failure.WireCode ?? failure.Code}: {failure.Detail}",
        };
}

/// <summary>The reference belongs to an earlier item, and the call asked for something else (SDK-5).</summary>
/// <remarks>Nothing was pushed or reserved, and the earlier item's status never answers this call.</remarks>
public sealed class DifferentItemException : PesaPostException
{
    internal DifferentItemException(Failure failure, string call, int attempts, string? idempotencyKey)
        : base(failure, call, attempts, idempotencyKey)
    {
    }

    /// <summary>The reference that exists.</summary>
    public string Reference => Existing.Reference;

    /// <summary>The call's fields that differ from the earlier item's, such as amount_minor.</summary>
    public IReadOnlyList<string> Differs => Failure.Differs;

    /// <summary>The earlier item, in its current state.</summary>
    public CreatedItem Existing => Failure.Existing!;
}

/// <summary>A wait is over, and the collection may still settle (SDK-16).</summary>
public sealed class NotSettledException : PesaPostException
{
    internal NotSettledException(Failure failure, string call, int attempts)
        : base(failure, call, attempts, idempotencyKey: null)
    {
    }

    /// <summary>The reference of the collection.</summary>
    public string Reference => Failure.Reference!;

    /// <summary>The last known state; null if no answer came.</summary>
    public Transaction? Last => Failure.Last;
}
