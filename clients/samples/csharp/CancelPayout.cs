namespace PesaPost.Samples;

internal static class CancelPayout
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        DecidedPayout cancelled =
            await client.Payouts.CancelAsync("PAY-1001");
        Console.WriteLine(cancelled.Status);
        // end
    }
}
