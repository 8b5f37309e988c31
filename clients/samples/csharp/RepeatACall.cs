namespace PesaPost.Samples;

internal static class RepeatACall
{
    public static async Task RunAsync(PesaPostClient client)
    {
        NewCollection order = new()
        {
            AccountNo = "10000001",
            Phone = "254712345678",
            AmountMinor = 25_000,
            Currency = "KES",
            Channel = "mpesa",
            Reference = "INV-1001",
        };
        string storedKey = "order-1001";

        // sample
        // The client repeats the call by itself. Give it the key
        // if another process may have to do so later.
        CreatedItem created = await client.Collections.CreateAsync(
            order, idempotencyKey: storedKey);
        Console.WriteLine(created.Replayed);
        // end
    }
}
