using System.Net.Http.Headers;

namespace PesaPost;

/// <summary>A request; the target is its path and query as signed.</summary>
internal sealed record WireRequest(
    string Method, string Target, IReadOnlyList<KeyValuePair<string, string>> Headers, byte[] Body, string? MediaType);

/// <summary>An answer that was read to its end.</summary>
internal sealed record WireAnswer(int Status, HttpResponseHeaders Headers, byte[] Body)
{
    public string? Header(string name) =>
        Headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(", ", values) : null;
}

/// <summary>Sends requests to one server, each with its whole answer within a deadline (SDK-3, SDK-9).</summary>
internal sealed class Wire(HttpClient http, string origin, TimeSpan timeout, TimeProvider time)
{
    private static readonly UriCreationOptions AsSigned = new() { DangerousDisablePathAndQueryCanonicalization = true };

    /// <summary>Sends a request and reads its answer.</summary>
    /// <exception cref="OperationCanceledException">The caller canceled.</exception>
    public async Task<Outcome<WireAnswer>> ExchangeAsync(WireRequest request, CancellationToken cancellationToken)
    {
        using CancellationTokenSource deadline = new(timeout, time);
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, deadline.Token);
        Uri uri = new(origin + request.Target, AsSigned);
        try
        {
            using HttpRequestMessage message = MessageOf(request, uri);
            using HttpResponseMessage answer = await http
                .SendAsync(message, HttpCompletionOption.ResponseHeadersRead, limited.Token)
                .ConfigureAwait(false);
            byte[] body = await answer.Content.ReadAsByteArrayAsync(limited.Token).ConfigureAwait(false);
            WireAnswer read = new((int)answer.StatusCode, answer.Headers, body);
            // A caller's own HttpClient may follow redirects. Such an answer is not PesaPost's.
            return message.RequestUri == uri ? read : AnswerReader.Unexpected(read);
        }
        catch (OperationCanceledException cause)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return new Failure("timeout", ErrorKind.Timeout) { Limit = timeout, Cause = cause };
        }
        catch (Exception cause) when (cause is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return new Failure("network_failure", ErrorKind.Network) { Cause = cause };
        }
    }

    /// <summary>Returns the message. Each has a body, even an empty one.</summary>
    /// <remarks>
    /// .NET repeats a request without a body on its own if a kept connection broke, with the same nonce (SDK-6).
    /// </remarks>
    private static HttpRequestMessage MessageOf(WireRequest request, Uri uri)
    {
        HttpRequestMessage message = new(new HttpMethod(request.Method), uri)
        {
            Content = new ByteArrayContent(request.Body),
        };
        foreach ((string name, string value) in request.Headers)
        {
            message.Headers.TryAddWithoutValidation(name, value);
        }
        if (request.MediaType is { } mediaType)
        {
            message.Content.Headers.ContentType = new(mediaType);
        }
        return message;
    }
}
