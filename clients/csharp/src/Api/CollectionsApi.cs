using PesaPost.Signing;

namespace PesaPost;

/// <summary>Money from customers' phones.</summary>
public sealed class CollectionsApi
{
    private const string Path = "/api/v4/collections";

    private static readonly TimeSpan DefaultWait = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    private readonly Connection _connection;

    internal CollectionsApi(Connection connection) => _connection = connection;

    /// <summary>Sends a push to the customer's phone. Money moves only when the customer confirms.</summary>
    /// <remarks>If the reference exists, the call returns its current state and pushes nothing.</remarks>
    /// <exception cref="DifferentItemException">The reference exists for another amount, phone or account.</exception>
    /// <exception cref="PesaPostException">The call failed, with rail_rejected if the rail refused it.</exception>
    public Task<CreatedItem> CreateAsync(
        NewCollection collection, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        _connection.PostAsync<NewCollection, CreatedItem>(Path, collection, idempotencyKey, cancellationToken);

    /// <summary>Expects a payment without a push: show the customer <see cref="ExpectedPayment.PayTo"/>.</summary>
    /// <exception cref="DifferentItemException">The reference exists for another payment.</exception>
    /// <exception cref="PesaPostException">The call failed.</exception>
    public Task<ExpectedPayment> ExpectAsync(
        NewExpectedPayment payment, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        _connection.PostAsync<NewExpectedPayment, ExpectedPayment>(
            "/api/v4/expected-payments", payment, idempotencyKey, cancellationToken);

    /// <summary>Gives a completed collection back, as a whole or in part.</summary>
    /// <remarks>The refund is a payout: another holder approves it, under the refund's own reference.</remarks>
    /// <exception cref="DifferentItemException">The refund's reference exists for another refund or payout.</exception>
    /// <exception cref="PesaPostException">The call failed, with a code such as not_refundable.</exception>
    public Task<CreatedItem> RefundAsync(
        string reference,
        NewRefund refund,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        _connection.PostAsync<NewRefund, CreatedItem>(
            $"{PathOf(reference)}/refund", refund, idempotencyKey, cancellationToken);

    /// <summary>Returns the current state, never behind.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_found if there is no such collection.</exception>
    public Task<Transaction> GetAsync(string reference, CancellationToken cancellationToken = default) =>
        _connection.GetAsync<Transaction>(new("GET", PathOf(reference)), cancellationToken);

    /// <summary>Returns a receipt that anyone can check without trusting PesaPost.</summary>
    /// <remarks>Each day is sealed a few minutes after its end; before that, a posting's proof is null.</remarks>
    /// <exception cref="PesaPostException">The call failed, with not_found if there is no such collection.</exception>
    public Task<Receipt> GetReceiptAsync(string reference, CancellationToken cancellationToken = default) =>
        _connection.GetAsync<Receipt>(new("GET", $"{PathOf(reference)}/receipt"), cancellationToken);

    /// <summary>Polls until the collection is completed or failed (SDK-16).</summary>
    /// <remarks>
    /// The wait ends after 120 s, unless another time is given. A failed collection can still become completed, so keep
    /// listening to webhooks.
    /// </remarks>
    /// <exception cref="NotSettledException">Time is up.</exception>
    /// <exception cref="PesaPostException">A call failed for good.</exception>
    public async Task<Transaction> WaitUntilSettledAsync(
        string reference, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        TimeSpan limit = Times.AtLeast(TimeSpan.FromMilliseconds(1), timeout ?? DefaultWait, nameof(timeout));
        using CancellationTokenSource deadline = new(limit, _connection.Time);
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, deadline.Token);
        Transaction? last = null;
        int asked = 0;
        try
        {
            for (TimeSpan pause = FirstPause; ; pause = pause * 1.5 < LongestPause ? pause * 1.5 : LongestPause)
            {
                asked++;
                last = await SeenAsync(reference, limited.Token).ConfigureAwait(false) ?? last;
                if (last?.Status is "completed" or "failed")
                {
                    return last;
                }
                // Many callers may wait at the same time, and they should not all ask at once.
                TimeSpan jittered = pause * (1 - (Random.Shared.NextDouble() / 4));
                await Task.Delay(jittered, _connection.Time, limited.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Failure failure = new("not_settled", ErrorKind.NotSettled)
            {
                Reference = reference,
                Last = last,
                Limit = limit,
            };
            throw PesaPostException.Of(failure, $"GET {PathOf(reference)}", asked);
        }
    }

    /// <summary>Returns the current state; null after a failure that may pass.</summary>
    private async Task<Transaction?> SeenAsync(string reference, CancellationToken cancellationToken)
    {
        try
        {
            return await GetAsync(reference, cancellationToken).ConfigureAwait(false);
        }
        catch (PesaPostException failure) when (failure.IsRetryable)
        {
            return null;
        }
    }

    private static string PathOf(string reference) => $"{Path}/{Query.EncodePart(reference)}";
}
