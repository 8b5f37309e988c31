namespace PesaPost.Samples;

internal static class RequestPayoutBatch
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        RequestedPayoutBatch batch =
            await client.PayoutBatches.CreateAsync(new()
            {
                Reference = "salaries-2026-11",
                AccountNo = "10000001",
                Currency = "KES",
                Channel = "mpesa",
                Items =
                [
                    new()
                    {
                        Reference = "salary-7",
                        Phone = "254712345678",
                        AmountMinor = 25_000,
                    },
                ],
            });
        Console.WriteLine(batch.Status); // pending_approval
        // end
    }
}
