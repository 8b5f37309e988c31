using System.Net.Http.Headers;
using System.Text.Json;

namespace PesaPost;

/// <summary>Reads an answer of the service: a JSON object with 2xx, or an error.</summary>
internal static class AnswerReader
{
    /// <summary>Returns the object of a successful answer. A date in Retry-After counts from now.</summary>
    public static Outcome<WireObject> Read(WireAnswer answer, DateTimeOffset now)
    {
        JsonElement? json = ObjectIn(answer.Body);
        return json is { } found && answer.Status is >= 200 and <= 299
            ? new WireObject(answer, found)
            : FailureIn(answer, json, now);
    }

    /// <summary>Returns a successful answer in its type, or the failure if it is about another item (SDK-5).</summary>
    public static Outcome<T> ReadAs<T>(string path, WireObject answer)
        where T : ApiObject
    {
        try
        {
            return answer.Header("X-PP-Differs") is { } differs
                ? Different(path, differs, WithFacts(PesaPostJson.Read<CreatedItem>(answer.Json), answer))
                : WithFacts(PesaPostJson.Read<T>(answer.Json), answer);
        }
        catch (JsonException)
        {
            return Unexpected(answer.Answer);
        }
    }

    /// <summary>Returns the failure for an answer that is not in the shape of PesaPost's (SDK-11).</summary>
    public static Failure Unexpected(WireAnswer answer, TimeSpan? retryAfter = null) =>
        new(ErrorCodes.UnexpectedAnswer, ErrorKind.Unknown)
        {
            Status = answer.Status,
            RequestId = answer.Header("X-Request-Id"),
            RetryAfter = retryAfter,
        };

    private static T WithFacts<T>(T value, WireObject answer)
        where T : ApiObject
    {
        ApiObject read = value;
        if (read is Answer positioned)
        {
            read = positioned with { LedgerPosition = answer.Header("X-PP-Ledger-Position") };
        }
        if (read is Decided decided)
        {
            read = decided with { Replayed = answer.Header("Idempotent-Replayed") == "true" };
        }
        if (read is Created created)
        {
            read = created with { Existing = answer.Header("X-PP-Existing") == "true" };
        }
        return (T)read;
    }

    private static Failure Different(string path, string differs, CreatedItem existing) =>
        new(DifferentCode(path), ErrorKind.Refused)
        {
            Differs = differs.Split(',', StringSplitOptions.TrimEntries),
            Existing = existing,
        };

    /// <summary>Returns the code for a path. A refund of a collection is a payout.</summary>
    private static string DifferentCode(string path) =>
        path switch
        {
            PayoutBatchesApi.Path => "different_payout_batch",
            PayoutsApi.Path => "different_payout",
            _ => path.EndsWith("/refund", StringComparison.Ordinal) ? "different_payout" : "different_collection",
        };

    private static Failure FailureIn(WireAnswer answer, JsonElement? json, DateTimeOffset now)
    {
        Failure unexpected = Unexpected(answer, RetryAfterIn(answer.Headers, now));
        if (answer.Status < 400 || TextIn(json, "error") is not { } code)
        {
            return unexpected;
        }
        bool isKnown = ErrorCodes.Kinds.TryGetValue(code, out ErrorKind kind);
        return unexpected with
        {
            Code = isKnown ? code : "unknown_code",
            Kind = kind,
            Detail = TextIn(json, "detail"),
            WireCode = isKnown ? null : code,
        };
    }

    private static string? TextIn(JsonElement? json, string name) =>
        json is { } found && found.TryGetProperty(name, out JsonElement member)
        && member.ValueKind == JsonValueKind.String
            ? member.GetString()
            : null;

    /// <summary>Reads seconds or a date (RFC 9110, section 10.2.3), in whole seconds.</summary>
    private static TimeSpan? RetryAfterIn(HttpResponseHeaders headers, DateTimeOffset now)
    {
        if ((headers.RetryAfter?.Delta ?? (headers.RetryAfter?.Date - now)) is not { } asked)
        {
            return null;
        }
        return TimeSpan.FromSeconds(Math.Max(0, Math.Ceiling(asked.TotalSeconds)));
    }

    private static JsonElement? ObjectIn(byte[] body)
    {
        try
        {
            JsonElement element = JsonElement.Parse(body);
            return element.ValueKind == JsonValueKind.Object ? element : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }
}

/// <summary>An answer of 2xx that has a JSON object.</summary>
internal sealed record WireObject(WireAnswer Answer, JsonElement Json)
{
    public string? Header(string name) => Answer.Header(name);
}
