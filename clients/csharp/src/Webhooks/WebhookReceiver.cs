namespace PesaPost;

/// <summary>Verifies webhooks and calls back with each event (SDK-18), for ASP.NET and any other server.</summary>
/// <remarks>
/// With minimal APIs: <c>app.MapPost("/webhooks", async (HttpRequest request) =&gt; Results.StatusCode(await
/// receiver.ReceiveAsync(request.Body, request.Headers)))</c>.
/// </remarks>
/// <param name="verifier">The verifier, with the endpoint's secrets.</param>
/// <param name="onEvent">
/// Handles an event. Deliveries repeat, so handle each <see cref="WebhookEvent.Id"/> once. If it throws, the event is
/// delivered again.
/// </param>
public sealed class WebhookReceiver(WebhookVerifier verifier, Func<WebhookEvent, CancellationToken, Task> onEvent)
{
    private const int MostBytes = 64 * 1024;

    /// <summary>Gets the reason of each 400.</summary>
    public Action<WebhookVerificationException>? OnRefused { get; init; }

    /// <summary>Gets the reason of each 500; unless set, it is written to the standard error output.</summary>
    public Action<Exception> OnFailed { get; init; } =
        failure => Console.Error.WriteLine($"pesapost: a webhook was not handled: {failure}");

    /// <summary>Receives one delivery, and returns the status to answer with.</summary>
    /// <returns>
    /// 204 once the event was handled, 400 to a request that does not verify, 413 to a body over 64 KiB, and 500 if the
    /// event was not handled.
    /// </returns>
    /// <param name="body">The body's raw bytes.</param>
    /// <param name="headers">The headers, such as the Headers of an HttpRequest of ASP.NET.</param>
    /// <param name="cancellationToken">A token that the handler of the event gets.</param>
    public async Task<int> ReceiveAsync<TValues>(
        Stream body,
        IEnumerable<KeyValuePair<string, TValues>> headers,
        CancellationToken cancellationToken = default)
        where TValues : IEnumerable<string?>
    {
        ArgumentNullException.ThrowIfNull(body);
        byte[] buffer = new byte[MostBytes + 1];
        int length;
        try
        {
            length = await body
                .ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (Exception left) when (left is IOException or OperationCanceledException)
        {
            // The sender went away, and cannot receive the answer.
            return 400;
        }
        if (length > MostBytes)
        {
            return 413;
        }
        try
        {
            await onEvent(verifier.Verify(buffer.AsSpan(0, length), headers), cancellationToken).ConfigureAwait(false);
            return 204;
        }
        catch (WebhookVerificationException refusal)
        {
            OnRefused?.Invoke(refusal);
            return 400;
        }
        catch (Exception failure)
        {
            OnFailed(failure);
            return 500;
        }
    }
}
