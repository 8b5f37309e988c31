using System.Text.Json.Nodes;

namespace PesaPost.Driver;

/// <summary>Writes failures with the members of SDK-10.</summary>
internal static class Failures
{
    public static JsonObject FactsOf(Exception error) =>
        error switch
        {
            PesaPostException failure => FactsOfCall(failure),
            WebhookVerificationException webhook => new() { ["type"] = "webhook", ["code"] = webhook.Code },
            ArgumentException or Mistake => new() { ["type"] = "mistake", ["message"] = error.Message },
            _ => new() { ["type"] = "defect", ["message"] = error.ToString() },
        };

    private static JsonObject FactsOfCall(PesaPostException failure)
    {
        Dictionary<string, object?> facts = new()
        {
            ["type"] = "call",
            ["message"] = failure.Message,
            ["code"] = failure.Code,
            ["kind"] = Digits.NameOf(failure.Kind),
            ["status"] = failure.Status,
            ["detail"] = failure.Detail,
            ["request_id"] = failure.RequestId,
            ["retry_after_seconds"] = failure.RetryAfter?.TotalSeconds,
            ["wire_code"] = failure.WireCode,
            ["call"] = failure.Call,
            ["attempts"] = failure.Attempts,
            ["idempotency_key"] = failure.IdempotencyKey,
        };
        if (failure is DifferentItemException different)
        {
            facts["reference"] = different.Reference;
            facts["differs"] = different.Differs;
            facts["existing"] = different.Existing;
        }
        if (failure is NotSettledException unsettled)
        {
            facts["reference"] = unsettled.Reference;
            facts["last"] = unsettled.Last;
        }
        return new(facts
            .Where(each => each.Value is not null)
            .Select(each => KeyValuePair.Create(each.Key, Digits.Of(each.Value))));
    }
}
