using System.Diagnostics;

namespace PesaPost;

/// <summary>Options of a client. The first four must be set.</summary>
[DebuggerDisplay("{BaseUrl}")]
public sealed class PesaPostOptions
{
    /// <summary>Scheme and host, such as https://api.example.com. Plain http is only for this machine.</summary>
    public required string BaseUrl { get; init; }

    /// <summary>The credential's id. The credential decides live or demo.</summary>
    public required string ClientId { get; init; }

    /// <summary>The credential's secret.</summary>
    [DebuggerBrowsable(DebuggerBrowsableState.Never)]
    public required string ClientSecret { get; init; }

    /// <summary>The PEM of the RSA key. The credential was issued for its public half.</summary>
    [DebuggerBrowsable(DebuggerBrowsableState.Never)]
    public required string PrivateKey { get; init; }

    /// <summary>The limit for each try, from the connection to the end of the answer; 20 s unless set.</summary>
    public TimeSpan Timeout
    {
        get;
        init => field = Times.AtLeast(TimeSpan.FromMilliseconds(1), value, nameof(Timeout));
    } = TimeSpan.FromSeconds(20);

    /// <summary>How often and after how long a call is retried.</summary>
    public RetryPolicy Retries { get; init; } = new();

    /// <summary>The clock, within 300 s of the service's (SDK-7), and its timers.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Allows plain http to another machine, where secrets are then readable.</summary>
    public bool AllowHttp { get; init; }
}
