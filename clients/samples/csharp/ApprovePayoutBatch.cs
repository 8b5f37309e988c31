namespace PesaPost.Samples;

internal static class ApprovePayoutBatch
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // The client of another holder.
        DecidedPayoutBatch approved = await client.PayoutBatches.ApproveAsync("salaries-2026-11", new()
        {
            Count = 240,
            AmountMinor = 6_000_000,
        });
        Console.WriteLine(approved.Status); // pending
        // end
    }
}
