namespace PesaPost.Examples;

/// <summary>Pays KES 100.00 to a phone by two people: <c>pay-out [phone]</c>.</summary>
internal static class PayOut
{
    public static async Task RunAsync(string[] words)
    {
        using PesaPostClient maker = Demo.Client();
        using PesaPostClient checker = Demo.Client("v4_checker");
        NewCollection payout = new()
        {
            AccountNo = Demo.Of("account_no"),
            Phone = words.FirstOrDefault("254712345678"),
            AmountMinor = Amount.FromMajor(100.00m),
            Currency = "KES",
            Channel = "mpesa",
            Reference = $"EXAMPLE-{Guid.NewGuid()}",
        };
        Console.WriteLine((await maker.Payouts.RequestAsync(payout)).Status);
        try
        {
            await maker.Payouts.ApproveAsync(payout.Reference);
        }
        catch (PesaPostException refusal) when (refusal.Code == "same_holder")
        {
            Console.WriteLine("the maker may not approve it");
        }
        // The checker repeats the values that they saw, so that they approve no other payout.
        await checker.Payouts.ApproveAsync(
            payout.Reference, new() { Phone = payout.Phone, AmountMinor = payout.AmountMinor });
        Transaction paid = await checker.Payouts.GetAsync(payout.Reference);
        while (paid.Status == "pending")
        {
            await Task.Delay(TimeSpan.FromSeconds(0.5));
            paid = await checker.Payouts.GetAsync(payout.Reference);
        }
        Console.WriteLine(paid.Status);
    }
}
