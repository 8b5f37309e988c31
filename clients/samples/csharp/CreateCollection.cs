namespace PesaPost.Samples;

internal static class CreateCollection
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        CreatedItem created = await client.Collections.CreateAsync(new()
        {
            AccountNo = "10000001",
            Phone = "254712345678",
            AmountMinor = 25_000, // KES 250.00
            Currency = "KES",
            Channel = "mpesa",
            Reference = "INV-1001",
        });
        Console.WriteLine(created.Status); // pending
        // end
    }
}
