namespace PesaPost.Samples;

internal static class HandleErrors
{
    public static async Task RunAsync(PesaPostClient client)
    {
        NewCollection order = new()
        {
            AccountNo = "10000001",
            Phone = "0712345678",
            AmountMinor = 25_000,
            Currency = "KES",
            Channel = "mpesa",
            Reference = "INV-1001",
        };

        // sample
        try
        {
            await client.Collections.CreateAsync(order);
        }
        catch (PesaPostException failure)
            when (failure.Kind == ErrorKind.Request)
        {
            Console.WriteLine(failure.Detail);
        }
        catch (PesaPostException failure)
            when (failure.Code == "rail_rejected")
        {
            Console.WriteLine("no push");
        }
        catch (PesaPostException failure)
        {
            Console.WriteLine($"repeat with {failure.IdempotencyKey}");
        }
        // end
    }
}
