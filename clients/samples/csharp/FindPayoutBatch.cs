namespace PesaPost.Samples;

internal static class FindPayoutBatch
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        PayoutBatchSummary batch =
            await client.PayoutBatches.GetAsync("salaries-2026-11");
        Console.WriteLine(batch.ByStatus["completed"].Count);
        // end
    }
}
