namespace PesaPost.Examples;

/// <summary>Collects KES 250.00 from a phone, and waits for the customer: <c>collect [phone]</c>.</summary>
internal static class Collect
{
    public static async Task RunAsync(string[] words)
    {
        using PesaPostClient client = Demo.Client();
        CreatedItem created = await client.Collections.CreateAsync(new()
        {
            AccountNo = Demo.Of("account_no"),
            Phone = words.FirstOrDefault("254712345678"),
            AmountMinor = Amount.FromMajor(250.00m),
            Currency = "KES",
            Channel = "mpesa",
            Reference = $"EXAMPLE-{Guid.NewGuid()}",
        });
        Console.WriteLine($"{created.Reference} is {created.Status}");
        Transaction settled = await client.Collections.WaitUntilSettledAsync(created.Reference);
        Console.WriteLine(settled.Status == "completed"
            ? $"completed: KES {settled.AmountMinor.ToMajor()}, fee {settled.FeeMinor.ToMajor()}, {settled.Receipt}"
            : $"{settled.Status}: {settled.FailureCode ?? "no reason given"}");
    }
}
