using System.Collections.Concurrent;
using System.Text.Json;
using PesaPost.Signing;

namespace PesaPost.Driver;

/// <summary>A mistake that the client's types already refuse, such as a fraction as amount.</summary>
internal sealed class Mistake(string message) : Exception(message);

/// <summary>A clock that does not move.</summary>
internal sealed class FixedClock(long unixMs) : TimeProvider
{
    public override DateTimeOffset GetUtcNow() => DateTimeOffset.FromUnixTimeMilliseconds(unixMs);
}

internal static class Operations
{
    private static readonly ConcurrentDictionary<string, PesaPostClient> Clients = new();

    public static Task<object?> RunAsync(string operation, JsonElement args) =>
        operation switch
        {
            "client" => Task.FromResult<object?>(MakeClient(args)),
            "call" => Calls.RunAsync(Clients[Text(args, "client")], args),
            "sign" => Task.FromResult<object?>(Sign(args)),
            "verify_webhook" => Task.FromResult<object?>(VerifyWebhook(args)),
            _ => throw new InvalidOperationException($"there is no operation {operation}"),
        };

    public static string Text(JsonElement args, string name) => args.GetProperty(name).GetString()!;

    public static string? TextIfAny(JsonElement args, string name) =>
        args.TryGetProperty(name, out JsonElement member) ? member.GetString() : null;

    public static int? NumberIfAny(JsonElement args, string name) =>
        args.TryGetProperty(name, out JsonElement member) ? member.GetInt32() : null;

    public static TimeSpan? TimeIfAny(JsonElement args, string name) =>
        NumberIfAny(args, name) is { } ms ? TimeSpan.FromMilliseconds(ms) : null;

    private static Dictionary<string, object?> MakeClient(JsonElement args)
    {
        RetryPolicy usual = new();
        JsonElement retries = args.TryGetProperty("retries", out JsonElement given) ? given : JsonElement.Parse("{}");
        PesaPostOptions options = new()
        {
            BaseUrl = Text(args, "base_url"),
            ClientId = Text(args, "client_id"),
            ClientSecret = Text(args, "client_secret"),
            PrivateKey = Text(args, "private_key_pem"),
            Timeout = TimeIfAny(args, "timeout_ms") ?? TimeSpan.FromSeconds(20),
            TimeProvider = ClockIn(args),
            Retries = new()
            {
                MaxRetries = NumberIfAny(retries, "max") ?? usual.MaxRetries,
                BaseDelay = TimeIfAny(retries, "base_delay_ms") ?? usual.BaseDelay,
                MaxDelay = TimeIfAny(retries, "max_delay_ms") ?? usual.MaxDelay,
            },
        };
        Clients[Text(args, "client")] = new PesaPostClient(options);
        return [];
    }

    private static Dictionary<string, object?> Sign(JsonElement args)
    {
        RequestToSign request = new(
            Text(args, "method"),
            Text(args, "raw_path"),
            Text(args, "raw_query"),
            args.GetProperty("body_base64").GetBytesFromBase64(),
            Text(args, "nonce"),
            Text(args, "timestamp"));
        return new()
        {
            ["canonical_query"] = Query.Canonical(request.RawQuery),
            ["string_to_sign"] = request.Text(),
            ["signature"] = new SigningKey(Text(args, "private_key_pem")).Sign(request.Text()),
        };
    }

    private static WebhookEvent VerifyWebhook(JsonElement args)
    {
        JsonElement secrets = args.GetProperty("secrets");
        string[] given = secrets.ValueKind == JsonValueKind.String
            ? [secrets.GetString()!]
            : [.. secrets.EnumerateArray().Select(each => each.GetString()!)];
        WebhookVerifier verifier = new(given)
        {
            TimeProvider = ClockIn(args),
            Tolerance = TimeSpan.FromSeconds(NumberIfAny(args, "tolerance_seconds") ?? 300),
        };
        Dictionary<string, string> headers = args.GetProperty("headers").Deserialize<Dictionary<string, string>>()!;
        return verifier.Verify(args.GetProperty("payload_base64").GetBytesFromBase64(), headers);
    }

    private static TimeProvider ClockIn(JsonElement args) =>
        args.TryGetProperty("now_ms", out JsonElement now) ? new FixedClock(now.GetInt64()) : TimeProvider.System;
}
