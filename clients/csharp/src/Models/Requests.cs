namespace PesaPost;

/// <summary>A new collection or payout: the body of POST /api/v4/collections and /api/v4/payouts.</summary>
public sealed record NewCollection
{
    /// <summary>Your account, which receives the money of a collection and pays a payout.</summary>
    public required string AccountNo { get; init; }

    /// <summary>The customer's number in international form, digits only: 254712345678.</summary>
    public required string Phone { get; init; }

    /// <summary>The amount, at least 1.</summary>
    public required Amount AmountMinor { get; init; }

    /// <summary>The currency by ISO 4217, such as KES.</summary>
    public required string Currency { get; init; }

    /// <summary>The rail: mpesa.</summary>
    public required string Channel { get; init; }

    /// <summary>Your own reference, unique for ever. A second call with it starts no second push.</summary>
    public required string Reference { get; init; }
}

/// <summary>A payment that you expect without a push: the body of POST /api/v4/expected-payments.</summary>
public sealed record NewExpectedPayment
{
    /// <summary>Your account that receives the money.</summary>
    public required string AccountNo { get; init; }

    /// <summary>The amount, at least 1.</summary>
    public required Amount AmountMinor { get; init; }

    /// <summary>The currency by ISO 4217, such as KES.</summary>
    public required string Currency { get; init; }

    /// <summary>The rail: mpesa.</summary>
    public required string Channel { get; init; }

    /// <summary>A capital letter and up to 8 capital letters, digits and . / - because the customer types it.</summary>
    public required string Reference { get; init; }
}

/// <summary>A new refund. Without an amount, everything that is left is given back.</summary>
public sealed record NewRefund
{
    /// <summary>Your own reference of the refund, unique for ever.</summary>
    public required string Reference { get; init; }

    /// <summary>The amount to give back; null for everything that is left.</summary>
    public Amount? AmountMinor { get; init; }

    /// <summary>The number that paid. A part of the amount needs it, because the rail sends it to the number.</summary>
    public string? Phone { get; init; }
}

/// <summary>Values that a decision may repeat, to be sure that it is about the intended payout.</summary>
public sealed record PayoutRepeat
{
    /// <summary>The payout's number.</summary>
    public string? Phone { get; init; }

    /// <summary>The payout's amount.</summary>
    public Amount? AmountMinor { get; init; }
}

/// <summary>A new batch: up to 1,000 payouts, decided as one.</summary>
public sealed record NewPayoutBatch
{
    /// <summary>Your own reference of the batch, unique for ever.</summary>
    public required string Reference { get; init; }

    /// <summary>Your account that pays.</summary>
    public required string AccountNo { get; init; }

    /// <summary>The currency by ISO 4217, such as KES.</summary>
    public required string Currency { get; init; }

    /// <summary>The rail: mpesa.</summary>
    public required string Channel { get; init; }

    /// <summary>The payouts.</summary>
    public required IReadOnlyList<NewPayoutBatchItem> Items { get; init; }
}

/// <summary>One payout of a batch.</summary>
public sealed record NewPayoutBatchItem
{
    /// <summary>Your own reference of the payout, unique for ever.</summary>
    public required string Reference { get; init; }

    /// <summary>The number that receives the money.</summary>
    public required string Phone { get; init; }

    /// <summary>The amount, at least 1.</summary>
    public required Amount AmountMinor { get; init; }
}

/// <summary>Values that a decision may repeat, to be sure that it is about the intended batch.</summary>
public sealed record PayoutBatchRepeat
{
    /// <summary>The number of payouts in the batch.</summary>
    public int? Count { get; init; }

    /// <summary>The sum of the batch.</summary>
    public Amount? AmountMinor { get; init; }
}

/// <summary>Filters of the list of transactions. One that is not set does not filter.</summary>
public sealed record TransactionFilters
{
    /// <summary>The type: collection or payout.</summary>
    public string? Type { get; init; }

    /// <summary>The status, such as completed.</summary>
    public string? Status { get; init; }

    /// <summary>The first day, of your time zone.</summary>
    public DateOnly? From { get; init; }

    /// <summary>The last day, of your time zone.</summary>
    public DateOnly? To { get; init; }

    /// <summary>The time that the days refer to: created_at, completed_at or paid_at.</summary>
    public string? DateField { get; init; }

    /// <summary>The reference of a batch, to list only its payouts.</summary>
    public string? Batch { get; init; }

    /// <summary>The way by which collections came: v4, v3, checkout or c2b.</summary>
    public string? Origin { get; init; }

    /// <summary>The number of items on a page, 1 to 100; 25 unless set.</summary>
    public int? Limit { get; init; }

    /// <summary>The <see cref="TransactionsPage.NextCursor"/> of an earlier page.</summary>
    public string? Cursor { get; init; }
}
