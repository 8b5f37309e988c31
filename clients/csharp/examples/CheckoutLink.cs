using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace PesaPost.Examples;

/// <summary>Prints a link to the checkout page: <c>checkout-link REFERENCE MINOR RETURN_URL</c>.</summary>
internal static class CheckoutLink
{
    public static Task RunAsync(string[] words)
    {
        Dictionary<string, string> order = new()
        {
            ["account_no"] = Demo.Of("account_no"),
            ["amount_minor"] = words[1],
            ["currency"] = "KES",
            ["reference"] = words[0],
            ["return_url"] = words[2],
        };
        Console.WriteLine(LinkOf(order, Demo.Of("checkout_key_id"), Demo.Of("checkout_secret"), DateTimeOffset.UtcNow));
        return Task.CompletedTask;
    }

    /// <summary>Returns the address to redirect the customer to, within 15 minutes.</summary>
    private static string LinkOf(Dictionary<string, string> order, string keyId, string secret, DateTimeOffset now)
    {
        Dictionary<string, string> parameters = new(order)
        {
            ["key_id"] = keyId,
            ["nonce"] = $"{Guid.NewGuid()}",
            ["timestamp"] = now.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture),
        };
        // The hash is over the canonical query: encoded by RFC 3986, and sorted by name.
        string query = string.Join('&', parameters
            .OrderBy(each => each.Key, StringComparer.Ordinal)
            .Select(each => $"{each.Key}={Uri.EscapeDataString(each.Value)}"));
        byte[] hash = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), Encoding.UTF8.GetBytes(query));
        return $"{Demo.BaseUrl}/checkout?{query}&hash={Convert.ToHexStringLower(hash)}";
    }
}
