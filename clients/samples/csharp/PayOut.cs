namespace PesaPost.Samples;

internal static class PayOut
{
    public static async Task RunAsync(PesaPostClient client)
    {
        using PesaPostClient checker = Checker.Make();

        // sample
        NewCollection payout = new()
        {
            AccountNo = Environment.GetEnvironmentVariable("ACCOUNT_NO")!,
            Phone = "254712345678",
            AmountMinor = 1_000,
            Currency = "KES",
            Channel = "mpesa",
            Reference = $"PAY-{Guid.NewGuid()}",
        };
        CreatedItem asked = await client.Payouts.RequestAsync(payout);
        Console.WriteLine(asked.Status); // pending_approval

        // Another holder approves it, with a credential of their own.
        DecidedPayout approved = await checker.Payouts.ApproveAsync(
            payout.Reference,
            new()
            {
                Phone = payout.Phone,
                AmountMinor = payout.AmountMinor,
            });
        Console.WriteLine(approved.Status); // pending
        // end
    }
}
