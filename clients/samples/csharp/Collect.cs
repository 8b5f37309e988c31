namespace PesaPost.Samples;

internal static class Collect
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        CreatedItem created = await client.Collections.CreateAsync(new()
        {
            AccountNo = Environment.GetEnvironmentVariable("ACCOUNT_NO")!,
            Phone = "254712345678",
            AmountMinor = 25_000, // KES 250.00
            Currency = "KES",
            Channel = "mpesa",
            Reference = $"INV-{Guid.NewGuid()}",
        });
        Console.WriteLine(created.Status); // pending

        // Waits for up to 120 s.
        Transaction settled = await client.Collections
            .WaitUntilSettledAsync(created.Reference);
        Console.WriteLine($"{settled.Status} {settled.AmountMinor}");
        // end
    }
}
