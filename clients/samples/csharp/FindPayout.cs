namespace PesaPost.Samples;

internal static class FindPayout
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        Transaction item = await client.Payouts.GetAsync("PAY-1001");
        Console.WriteLine($"{item.Status} {item.FailureCode}");
        // end
    }
}
