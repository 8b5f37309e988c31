namespace PesaPost.Samples;

internal static class RejectPayoutBatch
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // The client of another holder.
        DecidedPayoutBatch rejected = await client.PayoutBatches.RejectAsync("salaries-2026-11", new()
        {
            Count = 240,
            AmountMinor = 6_000_000,
        });
        Console.WriteLine(rejected.Status); // rejected
        // end
    }
}
