using System.Text.Json;

namespace PesaPost.Driver;

/// <summary>A call of a client, with its arguments in the client's own types.</summary>
internal sealed record Call(PesaPostClient Client, JsonElement Args)
{
    private JsonElement[] Arguments { get; } = [.. Args.GetProperty("arguments").EnumerateArray()];

    public string Reference => Arguments[0].GetString()!;

    public string? Key => Operations.TextIfAny(Args, "idempotency_key");

    public string? MinPosition => Operations.TextIfAny(Args, "min_position");

    public string? AtPosition => Operations.TextIfAny(Args, "at_position");

    public int? Limit => Operations.NumberIfAny(Args, "limit");

    public long AfterSequence => Arguments.Length > 0 ? Arguments[0].GetInt64() : 0;

    /// <summary>Returns an argument; null if there are fewer.</summary>
    public T? ArgumentIfAny<T>(int index)
        where T : class => index < Arguments.Length ? Argument<T>(index) : null;

    public T Argument<T>(int index)
    {
        try
        {
            return PesaPostJson.Value<T>(Arguments[index])!;
        }
        catch (JsonException error)
        {
            throw new Mistake(error.Message);
        }
    }

    /// <summary>Reads a list, no further than asked.</summary>
    public async Task<object> TakenAsync<T>(IAsyncEnumerable<T> list)
    {
        int most = Operations.NumberIfAny(Args, "take") ?? int.MaxValue;
        List<T> taken = [];
        await foreach (T item in list)
        {
            taken.Add(item);
            if (taken.Count == most)
            {
                break;
            }
        }
        return taken;
    }
}

internal static class Calls
{
    private static readonly Dictionary<string, Func<Call, Task<object>>> Methods = new()
    {
        ["collections.create"] = async call =>
            await call.Client.Collections.CreateAsync(call.Argument<NewCollection>(0), call.Key),
        ["collections.expect"] = async call =>
            await call.Client.Collections.ExpectAsync(call.Argument<NewExpectedPayment>(0), call.Key),
        ["collections.refund"] = async call =>
            await call.Client.Collections.RefundAsync(call.Reference, call.Argument<NewRefund>(1), call.Key),
        ["collections.get"] = async call => await call.Client.Collections.GetAsync(call.Reference),
        ["collections.receipt"] = async call => await call.Client.Collections.GetReceiptAsync(call.Reference),
        ["collections.wait_until_settled"] = async call =>
            await call.Client.Collections.WaitUntilSettledAsync(
                call.Reference, Operations.TimeIfAny(call.Args, "timeout_ms")),
        ["payouts.request"] = async call =>
            await call.Client.Payouts.RequestAsync(call.Argument<NewCollection>(0), call.Key),
        ["payouts.approve"] = async call =>
            await call.Client.Payouts.ApproveAsync(call.Reference, call.ArgumentIfAny<PayoutRepeat>(1), call.Key),
        ["payouts.reject"] = async call =>
            await call.Client.Payouts.RejectAsync(call.Reference, call.ArgumentIfAny<PayoutRepeat>(1), call.Key),
        ["payouts.cancel"] = async call => await call.Client.Payouts.CancelAsync(call.Reference, call.Key),
        ["payouts.get"] = async call => await call.Client.Payouts.GetAsync(call.Reference),
        ["payout_batches.create"] = async call =>
            await call.Client.PayoutBatches.CreateAsync(call.Argument<NewPayoutBatch>(0), call.Key),
        ["payout_batches.approve"] = async call =>
            await call.Client.PayoutBatches.ApproveAsync(
                call.Reference, call.ArgumentIfAny<PayoutBatchRepeat>(1), call.Key),
        ["payout_batches.reject"] = async call =>
            await call.Client.PayoutBatches.RejectAsync(
                call.Reference, call.ArgumentIfAny<PayoutBatchRepeat>(1), call.Key),
        ["payout_batches.cancel"] = async call =>
            await call.Client.PayoutBatches.CancelAsync(call.Reference, call.Key),
        ["payout_batches.get"] = async call =>
            await call.Client.PayoutBatches.GetAsync(call.Reference, call.MinPosition),
        ["transactions.list"] = async call =>
            await call.Client.Transactions.ListAsync(
                call.ArgumentIfAny<TransactionFilters>(0), call.MinPosition, call.AtPosition),
        ["transactions.pages"] = call =>
            call.TakenAsync(call.Client.Transactions.PagesAsync(
                call.ArgumentIfAny<TransactionFilters>(0), call.MinPosition, call.AtPosition)),
        ["transactions.all"] = call =>
            call.TakenAsync(call.Client.Transactions.AllAsync(
                call.ArgumentIfAny<TransactionFilters>(0), call.MinPosition, call.AtPosition)),
        ["events.list"] = async call =>
            await call.Client.Events.ListAsync(call.AfterSequence, call.Limit, call.MinPosition),
        ["events.all"] = call =>
            call.TakenAsync(call.Client.Events.AllAsync(call.AfterSequence, call.Limit, call.MinPosition)),
        ["accounts.balance"] = async call =>
            await call.Client.Accounts.GetBalanceAsync(call.Reference, call.MinPosition, call.AtPosition),
    };

    public static async Task<object?> RunAsync(PesaPostClient client, JsonElement args) =>
        await Methods[Operations.Text(args, "method")](new Call(client, args));
}
