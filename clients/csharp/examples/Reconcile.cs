using System.Globalization;

namespace PesaPost.Examples;

/// <summary>Compares a day's collections with a statement's sum: <c>reconcile 2026-01-31 12500.00</c>.</summary>
internal static class Reconcile
{
    public static async Task RunAsync(string[] words)
    {
        DateOnly day = DateOnly.ParseExact(words[0], "yyyy-MM-dd", CultureInfo.InvariantCulture);
        Amount statement = Amount.FromMajor(decimal.Parse(words[1], CultureInfo.InvariantCulture));
        using PesaPostClient client = Demo.Client();
        // All pages and the balance are as of one position, whatever happens meanwhile.
        Balance balance = await client.Accounts.GetBalanceAsync(Demo.Of("account_no"));
        // The days are the rail's own, as in its statement.
        TransactionFilters filters = new()
        {
            Type = "collection",
            Status = "completed",
            DateField = "paid_at",
            From = day,
            To = day,
        };
        int count = 0;
        Amount sum = 0;
        Amount fees = 0;
        await foreach (Transaction item in client.Transactions.AllAsync(filters, atPosition: balance.LedgerPosition))
        {
            count++;
            sum += item.AmountMinor;
            fees += item.FeeMinor;
        }
        Console.WriteLine($"{count} completed, KES {sum.ToMajor()}, fees {fees.ToMajor()}");
        Console.WriteLine($"the statement has KES {(statement - sum).ToMajor()} more");
        Console.WriteLine($"the account has KES {balance.PostedMinor.ToMajor()}");
    }
}
