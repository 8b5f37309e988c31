namespace PesaPost.Samples;

internal static class RejectPayout
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // The client of another holder.
        DecidedPayout rejected = await client.Payouts.RejectAsync("PAY-1001", new()
        {
            Phone = "254712345678",
            AmountMinor = 25_000,
        });
        Console.WriteLine(rejected.Status); // rejected
        // end
    }
}
