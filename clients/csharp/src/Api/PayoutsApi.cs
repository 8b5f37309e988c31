using PesaPost.Signing;

namespace PesaPost;

/// <summary>Money to customers' phones. One holder asks, and another approves.</summary>
public sealed class PayoutsApi
{
    internal const string Path = "/api/v4/payouts";

    private readonly Connection _connection;

    internal PayoutsApi(Connection connection) => _connection = connection;

    /// <summary>Asks for a payout. Its amount and fee are reserved, and it waits for another holder.</summary>
    /// <exception cref="DifferentItemException">The reference exists for another amount, phone or account.</exception>
    /// <exception cref="PesaPostException">The call failed, with a code such as insufficient_funds.</exception>
    public Task<CreatedItem> RequestAsync(
        NewCollection payout, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        _connection.PostAsync<NewCollection, CreatedItem>(Path, payout, idempotencyKey, cancellationToken);

    /// <summary>Approves a payout that another holder asked for. It is then sent once.</summary>
    /// <remarks>The values in <paramref name="repeat"/> must be the payout's; null repeats none.</remarks>
    /// <exception cref="PesaPostException">The call failed, with a code such as same_holder.</exception>
    public Task<DecidedPayout> ApproveAsync(
        string reference,
        PayoutRepeat? repeat = null,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "approve", repeat, idempotencyKey, cancellationToken);

    /// <summary>Rejects a payout that another holder asked for. It is never sent.</summary>
    /// <remarks>The values in <paramref name="repeat"/> must be the payout's; null repeats none.</remarks>
    /// <exception cref="PesaPostException">The call failed, with a code such as same_holder.</exception>
    public Task<DecidedPayout> RejectAsync(
        string reference,
        PayoutRepeat? repeat = null,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "reject", repeat, idempotencyKey, cancellationToken);

    /// <summary>Stops a payout that was not given to the rail. The holder who asked for it may do this too.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_cancellable if it is too late.</exception>
    public Task<DecidedPayout> CancelAsync(
        string reference, string? idempotencyKey = null, CancellationToken cancellationToken = default) =>
        DecideAsync(reference, "cancel", null, idempotencyKey, cancellationToken);

    /// <summary>Returns the current state, never behind.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_found if there is no such payout.</exception>
    public Task<Transaction> GetAsync(string reference, CancellationToken cancellationToken = default) =>
        _connection.GetAsync<Transaction>(new("GET", $"{Path}/{Query.EncodePart(reference)}"), cancellationToken);

    private Task<DecidedPayout> DecideAsync(
        string reference,
        string verb,
        PayoutRepeat? repeat,
        string? idempotencyKey,
        CancellationToken cancellationToken) =>
        _connection.PostAsync<PayoutRepeat, DecidedPayout>(
            $"{Path}/{Query.EncodePart(reference)}/{verb}", repeat ?? new(), idempotencyKey, cancellationToken);
}
