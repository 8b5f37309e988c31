using System.Globalization;

namespace PesaPost.Samples;

internal static class Reconcile
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        DateOnly day = DateOnly.Parse(
            Environment.GetEnvironmentVariable("DAY")!,
            CultureInfo.InvariantCulture);
        TransactionFilters filters = new()
        {
            Type = "collection",
            Status = "completed",
            DateField = "paid_at", // the day of M-Pesa's statement
            From = day,
            To = day,
        };
        int count = 0;
        Amount amount = 0, fees = 0;
        await foreach (Transaction item in
            client.Transactions.AllAsync(filters))
        {
            count++;
            amount += item.AmountMinor;
            fees += item.FeeMinor;
        }
        Console.WriteLine(
            $"{count} completed, amount {amount}, fees {fees}");
        // end
    }
}
