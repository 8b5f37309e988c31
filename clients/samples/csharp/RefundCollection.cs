namespace PesaPost.Samples;

internal static class RefundCollection
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        CreatedItem asked = await client.Collections.RefundAsync(
            "INV-1001",
            new()
            {
                Phone = "254712345678",
                AmountMinor = 25_000,
                Reference = "REFUND-1001",
            });
        // pending_approval: another holder approves it
        Console.WriteLine(asked.Status);
        // end
    }
}
