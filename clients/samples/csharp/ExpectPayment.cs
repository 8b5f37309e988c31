namespace PesaPost.Samples;

internal static class ExpectPayment
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        ExpectedPayment expected =
            await client.Collections.ExpectAsync(new()
            {
                AccountNo = "10000001",
                AmountMinor = 25_000,
                Currency = "KES",
                Channel = "mpesa",
                Reference = "INV7",
            });
        Console.WriteLine(expected.PayTo.Account); // 10000001 INV7
        // end
    }
}
