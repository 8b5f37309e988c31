using System.Text;
using System.Text.Json;

namespace PesaPost;

/// <summary>A token, with the time from which it is renewed.</summary>
internal sealed record Token(string Text, DateTimeOffset RenewAt);

/// <summary>Fetches a token when it is first needed, by one request for all callers that wait (SDK-8).</summary>
internal sealed class TokenSource(Wire wire, string clientId, string clientSecret, TimeProvider time)
{
    /// <summary>A token is renewed so long before its end, or a tenth of its life if that is less.</summary>
    private static readonly TimeSpan RenewAhead = TimeSpan.FromMinutes(1);

    private readonly WireRequest _request = new(
        "POST",
        "/api/v4/oauth/token",
        [
            new("Accept", "application/json"),
            new("Authorization", $"Basic {Base64Of($"{clientId}:{clientSecret}")}"),
        ],
        "grant_type=client_credentials"u8.ToArray(),
        "application/x-www-form-urlencoded");

    private readonly Lock _gate = new();
    private Token? _held;
    private Task<Outcome<Token>>? _underWay;

    /// <summary>Returns the token. If the caller cancels, the request continues for the other callers.</summary>
    /// <exception cref="OperationCanceledException">The caller canceled.</exception>
    public async ValueTask<Outcome<Token>> CurrentAsync(CancellationToken cancellationToken)
    {
        Task<Outcome<Token>> underWay;
        lock (_gate)
        {
            if (_held is { } held && time.GetUtcNow() < held.RenewAt)
            {
                return held;
            }
            underWay = _underWay ??= Task.Run(RenewAsync, CancellationToken.None);
        }
        return await underWay.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Drops a token that the service refused. A newer token is kept.</summary>
    public void Forget(Token refused)
    {
        lock (_gate)
        {
            _held = _held == refused ? null : _held;
        }
    }

    private static string Base64Of(string text) => Convert.ToBase64String(Encoding.UTF8.GetBytes(text));

    private async Task<Outcome<Token>> RenewAsync()
    {
        Outcome<Token> outcome = default;
        try
        {
            outcome = await FetchAsync().ConfigureAwait(false);
            return outcome;
        }
        finally
        {
            lock (_gate)
            {
                _held = outcome.Value ?? _held;
                _underWay = null;
            }
        }
    }

    /// <summary>Asks by OAuth 2.0 client credentials (RFC 6749, section 4.4).</summary>
    private async Task<Outcome<Token>> FetchAsync()
    {
        Outcome<WireAnswer> answer = await wire.ExchangeAsync(_request, CancellationToken.None).ConfigureAwait(false);
        if (answer.Value is not { } received)
        {
            return answer.Failure!;
        }
        DateTimeOffset now = time.GetUtcNow();
        Outcome<WireObject> granted = AnswerReader.Read(received, now);
        if (granted.Value is not { } read)
        {
            return granted.Failure!;
        }
        return TokenIn(read.Json, now) is { } token ? token : AnswerReader.Unexpected(received);
    }

    private static Token? TokenIn(JsonElement json, DateTimeOffset now)
    {
        if (!json.TryGetProperty("access_token", out JsonElement text) || text.ValueKind != JsonValueKind.String
            || !json.TryGetProperty("expires_in", out JsonElement seconds) || seconds.ValueKind != JsonValueKind.Number
            || !seconds.TryGetInt32(out int expiresIn))
        {
            return null;
        }
        TimeSpan life = TimeSpan.FromSeconds(expiresIn);
        return new Token(text.GetString()!, now + life - (life / 10 < RenewAhead ? life / 10 : RenewAhead));
    }
}
