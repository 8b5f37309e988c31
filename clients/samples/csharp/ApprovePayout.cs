namespace PesaPost.Samples;

internal static class ApprovePayout
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // The client of another holder.
        DecidedPayout approved = await client.Payouts.ApproveAsync("PAY-1001", new()
        {
            Phone = "254712345678",
            AmountMinor = 25_000,
        });
        Console.WriteLine(approved.Status); // pending
        // end
    }
}
