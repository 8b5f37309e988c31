using PesaPost.Signing;

namespace PesaPost;

/// <summary>Many payouts as one batch: one holder asks for it, and another approves all of it.</summary>
public sealed class PayoutBatchesApi
{
    internal const string Path = "/api/v4/payout-batches";

    private readonly Connection _connection;

    internal PayoutBatchesApi(Connection connection) => _connection = connection;

    /// <summary>Asks for up to 1,000 payouts: all are reserved, or none.</summary>
    /// <exception cref="DifferentItemException">The reference exists for other payouts.</exception>
    /// <exception cref="PesaPostException">The call failed. The detail names a bad item by its index.</exception>
    public Task<RequestedPayoutBatch> CreateAsync(
        NewPayoutBatch batch, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        _connection.PostAsync<NewPayoutBatch, RequestedPayoutBatch>(Path, batch, idempotencyKey, cancellationToken);

    /// <summary>Approves all payouts of a batch that another holder asked for. Each is then sent once.</summary>
    /// <remarks>The values in <paramref name="repeat"/> must be the batch's; null repeats none.</remarks>
    /// <exception cref="PesaPostException">The call failed, with a code such as same_holder.</exception>
    public Task<DecidedPayoutBatch> ApproveAsync(
        string reference,
        PayoutBatchRepeat? repeat = null,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "approve", repeat, idempotencyKey, cancellationToken);

    /// <summary>Rejects all payouts of a batch. None is ever sent.</summary>
    /// <remarks>The values in <paramref name="repeat"/> must be the batch's; null repeats none.</remarks>
    /// <exception cref="PesaPostException">The call failed, with a code such as same_holder.</exception>
    public Task<DecidedPayoutBatch> RejectAsync(
        string reference,
        PayoutBatchRepeat? repeat = null,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "reject", repeat, idempotencyKey, cancellationToken);

    /// <summary>Stops the payouts of a batch that were not given to the rail.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_cancellable if it is too late for all.</exception>
    public Task<DecidedPayoutBatch> CancelAsync(
        string reference, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "cancel", null, idempotencyKey, cancellationToken);

    /// <summary>Returns the batch, with its payouts' counts and sums by status.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_found if there is no such batch.</exception>
    public Task<PayoutBatchSummary> GetAsync(
        string reference, string? minPosition = null, CancellationToken cancellationToken = default) =>
        _connection.GetAsync<PayoutBatchSummary>(
            new("GET", $"{Path}/{Query.EncodePart(reference)}") { MinPosition = minPosition }, cancellationToken);

    private Task<DecidedPayoutBatch> DecideAsync(
        string reference,
        string verb,
        PayoutBatchRepeat? repeat,
        string? idempotencyKey,
        CancellationToken cancellationToken) =>
        _connection.PostAsync<PayoutBatchRepeat, DecidedPayoutBatch>(
            $"{Path}/{Query.EncodePart(reference)}/{verb}", repeat ?? new(), idempotencyKey, cancellationToken);
}
