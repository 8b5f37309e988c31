namespace PesaPost;

/// <summary>The reason why a try or a call failed. A member that does not apply is null.</summary>
internal sealed record Failure(string Code, ErrorKind Kind)
{
    public int? Status { get; init; }
    public string? Detail { get; init; }
    public string? RequestId { get; init; }
    public TimeSpan? RetryAfter { get; init; }
    public string? WireCode { get; init; }
    public string? Reference { get; init; }
    public IReadOnlyList<string> Differs { get; init; } = [];
    public CreatedItem? Existing { get; init; }
    public TimeSpan? Limit { get; init; }
    public Transaction? Last { get; init; }
    public Exception? Cause { get; init; }

    /// <summary>True if the same call may get another answer (SDK-1).</summary>
    public bool IsRetryable =>
        Kind is ErrorKind.Network or ErrorKind.Timeout
        || Status is 429 or 503
        || Code == "idempotency_in_progress";
}

/// <summary>A value or a failure. A failure is thrown only when no retry is left.</summary>
internal readonly record struct Outcome<T>(T? Value, Failure? Failure)
    where T : class
{
    public static implicit operator Outcome<T>(T value) => new(value, null);

    public static implicit operator Outcome<T>(Failure failure) => new(null, failure);
}
