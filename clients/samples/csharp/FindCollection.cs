namespace PesaPost.Samples;

internal static class FindCollection
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        Transaction item =
            await client.Collections.GetAsync("INV-1001");
        Console.WriteLine($"{item.Status} {item.FailureCode}");
        // end
    }
}
