using System.Text.Json.Nodes;

namespace PesaPost.Examples;

/// <summary>The demo merchant of <c>npm start</c>, in .data/demo.json of the folder that the example runs in.</summary>
internal static class Demo
{
    private static readonly JsonNode File =
        JsonNode.Parse(System.IO.File.ReadAllText(Path.Combine(".data", "demo.json")))!;

    public static string BaseUrl => (string)File["base_url"]!;

    /// <summary>Returns a member of the merchant's own credential.</summary>
    public static string Of(string name) => (string)File["v4"]![name]!;

    /// <summary>Returns a client. A service makes one and keeps it.</summary>
    /// <param name="credential">The maker's v4, or the checker's v4_checker.</param>
    public static PesaPostClient Client(string credential = "v4") =>
        new(new()
        {
            BaseUrl = BaseUrl,
            ClientId = (string)File[credential]!["client_id"]!,
            ClientSecret = (string)File[credential]!["client_secret"]!,
            PrivateKey = (string)File[credential]!["private_key_pem"]!,
        });
}
