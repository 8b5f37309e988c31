namespace PesaPost;

/// <summary>How often and after how long a call is retried (SDK-2).</summary>
public sealed record RetryPolicy
{
    private const int MostRetries = 20;

    /// <summary>The number of retries after the first try, 20 at most; 4 unless set, and 0 for none.</summary>
    public int MaxRetries
    {
        get;
        init => field = value is >= 0 and <= MostRetries
            ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxRetries), $"MaxRetries must be from 0 to {MostRetries}");
    } = 4;

    /// <summary>The delay before the first retry, 0.5 s unless set. It doubles for each further one.</summary>
    public TimeSpan BaseDelay
    {
        get;
        init => field = Times.AtLeast(TimeSpan.Zero, value, nameof(BaseDelay));
    } = TimeSpan.FromSeconds(0.5);

    /// <summary>The longest delay, 20 s unless set.</summary>
    /// <remarks>If the service asks for more by Retry-After, the call fails at once.</remarks>
    public TimeSpan MaxDelay
    {
        get;
        init => field = Times.AtLeast(TimeSpan.Zero, value, nameof(MaxDelay));
    } = TimeSpan.FromSeconds(20);

    /// <summary>Returns the delay before the n-th retry, or null if the failure is final.</summary>
    internal TimeSpan? DelayBefore(int retry, Failure failure)
    {
        if (retry > MaxRetries || !failure.IsRetryable || failure.RetryAfter > MaxDelay)
        {
            return null;
        }
        double share = Random.Shared.NextDouble();
        double backoff = Math.Min(MaxDelay.TotalSeconds, BaseDelay.TotalSeconds * Math.Pow(2, retry - 1));
        TimeSpan jittered = TimeSpan.FromSeconds(backoff * (1 - (share / 2)));
        // All callers received the same time, so each waits a little longer at random.
        return failure.RetryAfter + (share * BaseDelay) is { } asked && asked > jittered ? asked : jittered;
    }
}

internal static class Times
{
    /// <summary>The longest time that a timer accepts on every platform.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(int.MaxValue);

    public static TimeSpan AtLeast(TimeSpan least, TimeSpan value, string name) =>
        value >= least && value <= Longest
            ? value
            : throw new ArgumentOutOfRangeException(name, $"{name} must be from {least} to {Longest}");
}
