using System.Globalization;
using System.Text.RegularExpressions;
using PesaPost.Signing;

namespace PesaPost;

/// <summary>A call of the API, before it is signed. The path is percent-encoded.</summary>
internal sealed record ApiCall(string Method, string Path)
{
    public IReadOnlyList<KeyValuePair<string, string>> Query { get; init; } = [];
    public byte[] Body { get; init; } = [];
    public string? IdempotencyKey { get; init; }
    public string? MinPosition { get; init; }
    public string? AtPosition { get; init; }
}

/// <summary>Sends calls of one credential: token, signature, retries.</summary>
internal sealed partial class Connection(
    Wire wire, TokenSource tokens, SigningKey key, RetryPolicy retries, TimeProvider time)
{
    public TimeProvider Time => time;

    /// <summary>Sends a body under one key, however often it is sent (SDK-4).</summary>
    /// <exception cref="ArgumentException">The key or the body cannot be sent.</exception>
    /// <exception cref="PesaPostException">The call failed.</exception>
    public Task<TAnswer> PostAsync<TBody, TAnswer>(
        string path, TBody body, string? idempotencyKey, CancellationToken cancellationToken)
        where TAnswer : ApiObject
    {
        ArgumentNullException.ThrowIfNull(body);
        string sent = idempotencyKey ?? Guid.NewGuid().ToString();
        if (!VisibleAscii().IsMatch(sent))
        {
            throw new ArgumentException("must be 1 to 255 visible ASCII characters", nameof(idempotencyKey));
        }
        byte[] text = PesaPostJson.Write(body);
        return SendAsync<TAnswer>(
            new ApiCall("POST", path) { Body = text, IdempotencyKey = sent }, cancellationToken);
    }

    /// <summary>Reads an answer at least as new as a position, or as of one.</summary>
    /// <exception cref="ArgumentException">A position or the query cannot be sent.</exception>
    /// <exception cref="PesaPostException">The call failed.</exception>
    public Task<T> GetAsync<T>(ApiCall call, CancellationToken cancellationToken)
        where T : ApiObject
    {
        foreach (string? position in (string?[])[call.MinPosition, call.AtPosition])
        {
            if (position is not null && !VisibleAscii().IsMatch(position))
            {
                throw new ArgumentException("a position must be an answer's LedgerPosition");
            }
        }
        return SendAsync<T>(call, cancellationToken);
    }

    /// <summary>Sends the call until it succeeds or no retry is left (SDK-1).</summary>
    /// <remarks>Every try has the same key and the same bytes, with a new nonce and a new timestamp.</remarks>
    private async Task<T> SendAsync<T>(ApiCall call, CancellationToken cancellationToken)
        where T : ApiObject
    {
        bool isRenewed = false;
        for (int attempts = 1; ; attempts++)
        {
            (Token? used, Outcome<T> outcome) = await TryAsync<T>(call, cancellationToken).ConfigureAwait(false);
            if (outcome.Value is { } value)
            {
                return value;
            }
            Failure failure = outcome.Failure!;
            if (used is not null && failure.Code == ErrorCodes.InvalidToken)
            {
                tokens.Forget(used);
                if (!isRenewed)
                {
                    // A renewal is no retry (SDK-8).
                    isRenewed = true;
                    attempts--;
                    continue;
                }
            }
            if (retries.DelayBefore(attempts, failure) is not { } delay)
            {
                throw PesaPostException.Of(failure, $"{call.Method} {call.Path}", attempts, call.IdempotencyKey);
            }
            await Task.Delay(delay, time, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<(Token? Used, Outcome<T> Outcome)> TryAsync<T>(ApiCall call, CancellationToken cancellationToken)
        where T : ApiObject
    {
        Outcome<Token> current = await tokens.CurrentAsync(cancellationToken).ConfigureAwait(false);
        if (current.Value is not { } token)
        {
            return (null, current.Failure!);
        }
        Outcome<WireAnswer> answer = await wire
            .ExchangeAsync(Signed(call, token), cancellationToken)
            .ConfigureAwait(false);
        if (answer.Value is not { } received)
        {
            return (token, answer.Failure!);
        }
        Outcome<WireObject> read = AnswerReader.Read(received, time.GetUtcNow());
        return (token, read.Value is { } found ? AnswerReader.ReadAs<T>(call.Path, found) : read.Failure!);
    }

    private WireRequest Signed(ApiCall call, Token token)
    {
        string query = Query.Encode(call.Query);
        string nonce = Guid.NewGuid().ToString();
        string timestamp = time.GetUtcNow().ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
        RequestToSign request = new(call.Method, call.Path, query, call.Body, nonce, timestamp);
        List<KeyValuePair<string, string>> headers =
        [
            new("Accept", "application/json"),
            new("Authorization", $"Bearer {token.Text}"),
            new("X-PP-Signature", key.Sign(request.Text())),
            new("X-PP-Nonce", nonce),
            new("X-PP-Timestamp", timestamp),
        ];
        AddIfSet(headers, "Idempotency-Key", call.IdempotencyKey);
        AddIfSet(headers, "X-PP-Min-Position", call.MinPosition);
        AddIfSet(headers, "X-PP-At-Position", call.AtPosition);
        string target = query.Length == 0 ? call.Path : $"{call.Path}?{query}";
        return new(call.Method, target, headers, call.Body, call.Method == "POST" ? "application/json" : null);
    }

    private static void AddIfSet(List<KeyValuePair<string, string>> headers, string name, string? value)
    {
        if (value is not null)
        {
            headers.Add(new(name, value));
        }
    }

    [GeneratedRegex(@"^[\x21-\x7e]{1,255}\z")]
    private static partial Regex VisibleAscii();
}
