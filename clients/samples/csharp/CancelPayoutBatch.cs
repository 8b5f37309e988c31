namespace PesaPost.Samples;

internal static class CancelPayoutBatch
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        DecidedPayoutBatch cancelled =
            await client.PayoutBatches.CancelAsync("salaries-2026-11");
        Console.WriteLine(cancelled.Status);
        // end
    }
}
