namespace PesaPost.Samples;

internal static class FindBalance
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        Balance balance =
            await client.Accounts.GetBalanceAsync("10000001");
        Console.WriteLine(balance.AvailableMinor);
        // end
    }
}
