using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace PesaPost;

/// <summary>Verifies webhooks (SDK-17). Any number of threads may use it.</summary>
public sealed partial class WebhookVerifier
{
    /// <summary>A rotation has two signatures. A sender with more only makes us work.</summary>
    private const int MostSignatures = 8;

    private readonly byte[][] _secrets;

    /// <summary>Takes the endpoint's secret; during a rotation, the new one and the old one.</summary>
    /// <exception cref="ArgumentException">There is no secret, or an empty one, which verifies anything.</exception>
    public WebhookVerifier(params IReadOnlyList<string> secrets)
    {
        ArgumentNullException.ThrowIfNull(secrets);
        if (secrets.Count == 0 || secrets.Any(string.IsNullOrEmpty))
        {
            throw new ArgumentException(
                "there is no webhook secret, or an empty one, which verifies anything", nameof(secrets));
        }
        _secrets = [.. secrets.Select(Encoding.UTF8.GetBytes)];
    }

    /// <summary>How far the timestamp may be from now, in either direction; 300 s unless set.</summary>
    public TimeSpan Tolerance { get; init; } = TimeSpan.FromSeconds(300);

    /// <summary>The clock.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Verifies that a request is PesaPost's webhook, unchanged and recent, and returns its event.</summary>
    /// <param name="payload">The body's raw bytes, never JSON that was parsed and written again.</param>
    /// <param name="headers">The headers, such as the Headers of an HttpRequest of ASP.NET.</param>
    /// <exception cref="WebhookVerificationException">The request is not a valid webhook.</exception>
    public WebhookEvent Verify<TValues>(
        ReadOnlySpan<byte> payload, IEnumerable<KeyValuePair<string, TValues>> headers)
        where TValues : IEnumerable<string?>
    {
        ArgumentNullException.ThrowIfNull(headers);
        return Verify(payload, headers.SelectMany(
            each => each.Value, (each, value) => KeyValuePair.Create(each.Key, value ?? "")));
    }

    /// <summary>Verifies that a request is PesaPost's webhook, unchanged and recent, and returns its event.</summary>
    /// <param name="payload">The body's raw bytes, never JSON that was parsed and written again.</param>
    /// <param name="headers">The headers, with one value each.</param>
    /// <exception cref="WebhookVerificationException">The request is not a valid webhook.</exception>
    public WebhookEvent Verify(ReadOnlySpan<byte> payload, IEnumerable<KeyValuePair<string, string>> headers)
    {
        ArgumentNullException.ThrowIfNull(headers);
        ILookup<string, string> byName = headers.ToLookup(
            each => each.Key, each => each.Value, StringComparer.OrdinalIgnoreCase);
        string id = Only(byName["PesaPost-Event-Id"]);
        string timestamp = Only(byName["PesaPost-Timestamp"]);
        string signature = Only(byName["PesaPost-Signature"]);
        if (!UnixSeconds().IsMatch(timestamp))
        {
            throw new WebhookVerificationException("malformed_timestamp");
        }
        byte[][] signatures = SignaturesIn(signature);
        if (!AnyMatches(signatures, Encoding.UTF8.GetBytes($"{id}.{timestamp}."), payload))
        {
            throw new WebhookVerificationException("no_matching_signature");
        }
        long sentMs = long.Parse(timestamp, CultureInfo.InvariantCulture) * 1000;
        if (Math.Abs(TimeProvider.GetUtcNow().ToUnixTimeMilliseconds() - sentMs) > Tolerance.TotalMilliseconds)
        {
            throw new WebhookVerificationException("timestamp_out_of_tolerance");
        }
        return EventIn(payload);
    }

    /// <summary>Returns the header. One that is absent, empty or present twice is refused.</summary>
    private static string Only(IEnumerable<string> values)
    {
        string[] found = [.. values];
        return found is [{ Length: > 0 } value] ? value : throw new WebhookVerificationException("missing_header");
    }

    private static byte[][] SignaturesIn(string text)
    {
        byte[][] signatures =
        [
            .. text
                .Split(',', StringSplitOptions.TrimEntries)
                .Take(MostSignatures)
                .Where(each => SignatureV4().IsMatch(each))
                .Select(each => Convert.FromHexString(each.AsSpan("v4=".Length))),
        ];
        return signatures.Length > 0 ? signatures : throw new WebhookVerificationException("malformed_signature");
    }

    /// <summary>Tries every secret on every signature, so that the time does not reveal which one matched.</summary>
    private bool AnyMatches(byte[][] signatures, byte[] prefix, ReadOnlySpan<byte> payload)
    {
        bool matches = false;
        foreach (byte[] secret in _secrets)
        {
            using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, secret);
            hmac.AppendData(prefix);
            hmac.AppendData(payload);
            byte[] expected = hmac.GetHashAndReset();
            foreach (byte[] signature in signatures)
            {
                matches |= CryptographicOperations.FixedTimeEquals(expected, signature);
            }
        }
        return matches;
    }

    private static WebhookEvent EventIn(ReadOnlySpan<byte> payload)
    {
        try
        {
            WebhookEvent read = PesaPostJson.Read<WebhookEvent>(JsonElement.Parse(payload));
            if (read is { Id.Length: > 0, Type.Length: > 0, Data.Json.ValueKind: JsonValueKind.Object })
            {
                return read;
            }
        }
        catch (JsonException)
        {
            // The body is no event, as below.
        }
        throw new WebhookVerificationException("malformed_payload");
    }

    [GeneratedRegex(@"^[0-9]{1,12}\z")]
    private static partial Regex UnixSeconds();

    [GeneratedRegex(@"^v4=[0-9a-f]{64}\z")]
    private static partial Regex SignatureV4();
}
