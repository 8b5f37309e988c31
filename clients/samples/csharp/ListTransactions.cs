namespace PesaPost.Samples;

internal static class ListTransactions
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        TransactionFilters filters = new()
        {
            Status = "completed",
            From = new(2026, 1, 1),
            To = new(2026, 1, 31),
        };
        // Page after page, newest first.
        await foreach (Transaction item in
            client.Transactions.AllAsync(filters))
        {
            Console.WriteLine($"{item.Reference} {item.AmountMinor}");
        }
        // end
    }
}
