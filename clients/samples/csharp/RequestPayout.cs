namespace PesaPost.Samples;

internal static class RequestPayout
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        CreatedItem asked = await client.Payouts.RequestAsync(new()
        {
            AccountNo = "10000001",
            Phone = "254712345678",
            AmountMinor = 25_000,
            Currency = "KES",
            Channel = "mpesa",
            Reference = "PAY-1001",
        });
        Console.WriteLine(asked.Status); // pending_approval
        // end
    }
}
