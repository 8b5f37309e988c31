namespace PesaPost.Samples;

internal static class ReadYourWrites
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        TransactionsPage page = await client.Transactions.ListAsync();
        Balance balance = await client.Accounts.GetBalanceAsync(
            "10000001", minPosition: page.LedgerPosition);
        Console.WriteLine(balance.AvailableMinor);
        // end
    }
}
