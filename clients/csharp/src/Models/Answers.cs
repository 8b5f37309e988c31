using System.Collections.ObjectModel;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace PesaPost;

/// <summary>An object of PesaPost's. Two are equal if their properties are.</summary>
public abstract record ApiObject
{
    /// <summary>The object as it came, with the members that have no property (SDK-12).</summary>
    /// <remarks>
    /// It has every digit of every number: <c>Amount.FromJson(item.Json.GetProperty("tip_minor"))</c>.
    /// </remarks>
    [JsonIgnore]
    public JsonElement Json { get; init; }

    /// <summary>Returns true if the properties are equal, however the object came.</summary>
    public virtual bool Equals(ApiObject? other) => other is not null && EqualityContract == other.EqualityContract;

    /// <inheritdoc />
    public override int GetHashCode() => EqualityContract.GetHashCode();

    /// <summary>Prints the properties, but not the object as it came.</summary>
    protected virtual bool PrintMembers(StringBuilder builder) => false;
}

/// <summary>An answer that names its position in the ledger.</summary>
public abstract record Answer : ApiObject
{
    /// <summary>The position that the answer reflects. Pass it as <c>minPosition</c> to read your own writes.</summary>
    [JsonIgnore]
    public string? LedgerPosition { get; init; }
}

/// <summary>The answer to a call that changes an item.</summary>
public abstract record Decided : Answer
{
    /// <summary>The item's status.</summary>
    public string Status { get => field ?? ""; init; }

    /// <summary>The item's reference.</summary>
    public string Reference { get => field ?? ""; init; }

    /// <summary>The item's amount.</summary>
    public Amount AmountMinor { get; init; }

    /// <summary>The currency by ISO 4217.</summary>
    public string Currency { get => field ?? ""; init; }

    /// <summary>True if the same Idempotency-Key had been answered before.</summary>
    [JsonIgnore]
    public bool Replayed { get; init; }
}

/// <summary>The answer to a call that creates an item.</summary>
public abstract record Created : Decided
{
    /// <summary>True if the reference existed: the answer is that item, and nothing was done (SDK-5).</summary>
    [JsonIgnore]
    public bool Existing { get; init; }
}

/// <summary>The answer to a call that creates a collection, a payout or a refund.</summary>
public sealed record CreatedItem : Created
{
    /// <summary>The rail's name for the push; null before the rail has answered.</summary>
    public string? RailReference { get; init; }
}

/// <summary>The answer to <see cref="CollectionsApi.ExpectAsync"/>.</summary>
public sealed record ExpectedPayment : Created
{
    /// <summary>The pay bill and account that you show to the customer.</summary>
    public PayTo PayTo { get => field ?? new(); init; }
}

/// <summary>The pay bill and account of a customer who pays without a push.</summary>
public sealed record PayTo
{
    /// <summary>The number that the customer pays.</summary>
    public string PayBill { get => field ?? ""; init; }

    /// <summary>The account that the customer types.</summary>
    public string Account { get => field ?? ""; init; }
}

/// <summary>The answer to a decision about a payout.</summary>
public sealed record DecidedPayout : Decided
{
    /// <summary>The rail's name for the payout; null before the rail has answered.</summary>
    public string? RailReference { get; init; }
}

/// <summary>The answer to a request for a batch.</summary>
public sealed record RequestedPayoutBatch : Created
{
    /// <summary>The number of payouts in the batch.</summary>
    public int Count { get; init; }
}

/// <summary>The answer to a decision about a batch.</summary>
public sealed record DecidedPayoutBatch : Decided
{
    /// <summary>The number of payouts in the batch.</summary>
    public int Count { get; init; }
}

/// <summary>A batch, with totals of its payouts by status.</summary>
public sealed record PayoutBatchSummary : Answer
{
    /// <summary>The reference of the batch.</summary>
    public string Reference { get => field ?? ""; init; }

    /// <summary>The status of the whole batch. Once it is pending, each payout has a status of its own.</summary>
    public string Status { get => field ?? ""; init; }

    /// <summary>The number of payouts in the batch.</summary>
    public int Count { get; init; }

    /// <summary>The sum that the customers receive.</summary>
    public Amount AmountMinor { get; init; }

    /// <summary>The currency by ISO 4217.</summary>
    public string Currency { get => field ?? ""; init; }

    /// <summary>The account that pays.</summary>
    public string AccountNo { get => field ?? ""; init; }

    /// <summary>The rail: mpesa.</summary>
    public string Channel { get => field ?? ""; init; }

    /// <summary>The totals of the payouts that have one status.</summary>
    public IReadOnlyDictionary<string, CountAndSum> ByStatus
    {
        get => field ?? ReadOnlyDictionary<string, CountAndSum>.Empty;
        init;
    }
}

/// <summary>Totals of a batch's payouts that have one status.</summary>
public sealed record CountAndSum
{
    /// <summary>The number of payouts.</summary>
    public int Count { get; init; }

    /// <summary>Their sum.</summary>
    public Amount AmountMinor { get; init; }
}

/// <summary>A collection, a payout or a refund. A member that does not apply is null or false.</summary>
public sealed record Transaction : ApiObject
{
    /// <summary>The type: collection or payout.</summary>
    public string Type { get => field ?? ""; init; }

    /// <summary>Your own reference.</summary>
    public string Reference { get => field ?? ""; init; }

    /// <summary>The status: pending, completed or failed; for a payout also pending_approval or rejected.</summary>
    public string Status { get => field ?? ""; init; }

    /// <summary>The amount.</summary>
    public Amount AmountMinor { get; init; }

    /// <summary>The currency by ISO 4217.</summary>
    public string Currency { get => field ?? ""; init; }

    /// <summary>The fee.</summary>
    public Amount FeeMinor { get; init; }

    /// <summary>PesaPost's own name for the item.</summary>
    public string Id { get => field ?? ""; init; }

    /// <summary>The merchant's account.</summary>
    public string AccountNo { get => field ?? ""; init; }

    /// <summary>The rail: mpesa.</summary>
    public string Channel { get => field ?? ""; init; }

    /// <summary>The rail's name for the push; null before the rail has answered.</summary>
    public string? RailReference { get; init; }

    /// <summary>The rail's receipt, as the customer sees it.</summary>
    public string? Receipt { get; init; }

    /// <summary>The reason why it failed, such as cancelled.</summary>
    public string? FailureCode { get; init; }

    /// <summary>True while it is under review by a person.</summary>
    public bool UnderReview { get; init; }

    /// <summary>The time at which it was recorded.</summary>
    public DateTimeOffset CreatedAt { get; init; }

    /// <summary>The time at which its money was posted.</summary>
    public DateTimeOffset? CompletedAt { get; init; }

    /// <summary>The rail's own time of payment.</summary>
    public DateTimeOffset? PaidAt { get; init; }

    /// <summary>False if the rail has not reported its time: paid_at then filters on the day of the posting.</summary>
    public bool PaidAtKnown { get; init; }

    /// <summary>The reference of a payout's batch.</summary>
    public string? Batch { get; init; }

    /// <summary>True if the rail's own account does not cover the payout yet.</summary>
    public bool WaitingForFloat { get; init; }

    /// <summary>True if the payout is approved, and an operator has paused payouts.</summary>
    public bool Paused { get; init; }

    /// <summary>The value c2b if the customer paid without a push.</summary>
    public string? Origin { get; init; }

    /// <summary>The status of a collection's refunds: pending, partial or refunded.</summary>
    public string? RefundStatus { get; init; }

    /// <summary>The sum that the customer got back.</summary>
    public Amount? RefundedMinor { get; init; }

    /// <summary>The reference of the collection that this payout refunds.</summary>
    public string? RefundOf { get; init; }

    /// <summary>The amount that you asked for, if the posted amount differs from it.</summary>
    public Amount? RequestedMinor { get; init; }
}

/// <summary>A page of the list of transactions, newest first.</summary>
public sealed record TransactionsPage : Answer
{
    /// <summary>The items.</summary>
    [JsonConverter(typeof(ListConverter<Transaction>))]
    public IReadOnlyList<Transaction> Data { get => field ?? []; init; }

    /// <summary>The cursor of the next page; null if there are no more pages.</summary>
    public string? NextCursor { get; init; }
}

/// <summary>An account's balance as of one position.</summary>
public sealed record Balance : Answer
{
    /// <summary>The account.</summary>
    public string AccountNo { get => field ?? ""; init; }

    /// <summary>The currency by ISO 4217.</summary>
    public string Currency { get => field ?? ""; init; }

    /// <summary>The money that is posted to the account.</summary>
    public Amount PostedMinor { get; init; }

    /// <summary>The part of it that payouts have reserved.</summary>
    public Amount ReservedMinor { get; init; }

    /// <summary>The rest of it, which payouts may use.</summary>
    public Amount AvailableMinor { get; init; }
}

/// <summary>A collection, its postings, and the proof that they are part of history.</summary>
public sealed record Receipt : Answer
{
    /// <summary>The collection.</summary>
    [JsonConverter(typeof(ObjectConverter<Transaction>))]
    public Transaction Item { get => field ?? new(); init; }

    /// <summary>The receipt as it came. Store it unchanged, because anyone can check it.</summary>
    [JsonIgnore]
    public string Text => Json.GetRawText();
}

/// <summary>The body of a webhook, and an item of the feed.</summary>
public sealed record WebhookEvent : ApiObject
{
    /// <summary>The same on every delivery of this event. Store it, and handle the event once.</summary>
    public string Id { get => field ?? ""; init; }

    /// <summary>The type, such as collection.completed. Ignore a type that you do not use.</summary>
    public string Type { get => field ?? ""; init; }

    /// <summary>The time of the event.</summary>
    public DateTimeOffset CreatedAt { get; init; }

    /// <summary>The mode: live or demo.</summary>
    public string Mode { get => field ?? ""; init; }

    /// <summary>The number 1, 2, 3 … per merchant and mode, without gaps.</summary>
    public long Sequence { get; init; }

    /// <summary>The item as of this event.</summary>
    [JsonConverter(typeof(ObjectConverter<Transaction>))]
    public Transaction Data { get => field ?? new(); init; }
}

/// <summary>A page of the feed, in the order of its sequence. It is empty if there is nothing newer.</summary>
public sealed record EventsPage : Answer
{
    /// <summary>The events.</summary>
    [JsonConverter(typeof(ListConverter<WebhookEvent>))]
    public IReadOnlyList<WebhookEvent> Data { get => field ?? []; init; }

    /// <summary>The sequence after which the next page begins.</summary>
    public long NextAfterSequence { get; init; }
}
