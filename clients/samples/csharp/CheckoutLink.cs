using System.Security.Cryptography;
using System.Text;

namespace PesaPost.Samples;

internal static class CheckoutLink
{
    public static Task RunAsync(PesaPostClient _)
    {
        // sample
        static string Env(string name) =>
            Environment.GetEnvironmentVariable(name)!;

        SortedDictionary<string, string> link = new(StringComparer.Ordinal)
        {
            ["account_no"] = Env("ACCOUNT_NO"),
            ["amount_minor"] = "25000", // KES 250.00
            ["currency"] = "KES",
            ["reference"] = $"ORDER-{Guid.NewGuid()}",
            ["return_url"] = "https://shop.example/paid",
            ["key_id"] = Env("CHECKOUT_KEY_ID"),
            ["nonce"] = $"{Guid.NewGuid()}",
            ["timestamp"] = $"{DateTimeOffset.UtcNow.ToUnixTimeSeconds()}",
        };
        string query = string.Join('&', link.Select(
            each => $"{each.Key}={Uri.EscapeDataString(each.Value)}"));
        string hash = Convert.ToHexStringLower(HMACSHA256.HashData(
            Encoding.UTF8.GetBytes(Env("CHECKOUT_SECRET")),
            Encoding.UTF8.GetBytes(query)));
        string page = Env("BASE_URL") + "/checkout";
        Console.WriteLine($"{page}?{query}&hash={hash}");
        // end
        return Task.CompletedTask;
    }
}
