using System.Collections;
using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace PesaPost.Driver;

/// <summary>Writes answers as JSON, and their amounts as digits.</summary>
/// <remarks>Members that have a property come from the property.</remarks>
internal static class Digits
{
    public static string NameOf(object value) => JsonNamingPolicy.SnakeCaseLower.ConvertName(value.ToString()!);

    public static JsonNode? Of(object? value) =>
        value switch
        {
            null => null,
            Amount amount => amount.ToString(),
            ApiObject item => OfItem(item),
            JsonElement element => OfElement("", element),
            IDictionary members => OfMembers(members),
            string text => text,
            IEnumerable list => new JsonArray([.. list.Cast<object?>().Select(Of)]),
            PayTo or CountAndSum => OfProperties(value),
            _ => JsonSerializer.SerializeToNode(value, value.GetType()),
        };

    private static JsonObject OfItem(ApiObject item)
    {
        Dictionary<string, PropertyInfo> properties =
            item.GetType().GetProperties().ToDictionary(each => NameOf(each.Name));
        JsonObject written = [];
        foreach (JsonProperty member in item.Json.EnumerateObject())
        {
            // A null has the default in its property.
            bool hasProperty = properties.TryGetValue(member.Name, out PropertyInfo? property);
            written[member.Name] = hasProperty && member.Value.ValueKind != JsonValueKind.Null
                ? Of(property!.GetValue(item))
                : OfElement(member.Name, member.Value);
        }
        foreach (string fact in (string[])["existing", "replayed", "ledger_position"])
        {
            if (properties.TryGetValue(fact, out PropertyInfo? property) && property.GetValue(item) is { } value)
            {
                written[fact] = Of(value);
            }
        }
        return written;
    }

    private static JsonNode? OfElement(string name, JsonElement element) =>
        element.ValueKind switch
        {
            JsonValueKind.Object => new JsonObject(element
                .EnumerateObject()
                .Select(each => KeyValuePair.Create(each.Name, OfElement(each.Name, each.Value)))),
            JsonValueKind.Array => new JsonArray([.. element.EnumerateArray().Select(each => OfElement("", each))]),
            _ when name.EndsWith("_minor", StringComparison.Ordinal) => OfAmount(element),
            _ => JsonNode.Parse(element.GetRawText()),
        };

    /// <summary>Reads a member without a property as the client's own type.</summary>
    private static JsonNode? OfAmount(JsonElement element)
    {
        try
        {
            return Amount.FromJson(element).ToString();
        }
        catch (JsonException)
        {
            return JsonNode.Parse(element.GetRawText());
        }
    }

    private static JsonObject OfMembers(IDictionary members)
    {
        JsonObject written = [];
        foreach (DictionaryEntry each in members)
        {
            written[(string)each.Key] = Of(each.Value);
        }
        return written;
    }

    private static JsonObject OfProperties(object value) =>
        new(value.GetType()
            .GetProperties()
            .Select(each => KeyValuePair.Create(NameOf(each.Name), Of(each.GetValue(value)))));
}
