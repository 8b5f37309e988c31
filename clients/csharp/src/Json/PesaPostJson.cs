using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using PesaPost.Signing;

namespace PesaPost;

/// <summary>The JSON of every request and answer. A null that an answer must not have is refused.</summary>
/// <remarks>The compiler generates it, because a program that is compiled ahead of time has no reflection.</remarks>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    Converters = [typeof(UnicodeConverter)])]
[JsonSerializable(typeof(NewCollection))]
[JsonSerializable(typeof(NewExpectedPayment))]
[JsonSerializable(typeof(NewRefund))]
[JsonSerializable(typeof(PayoutRepeat))]
[JsonSerializable(typeof(NewPayoutBatch))]
[JsonSerializable(typeof(PayoutBatchRepeat))]
[JsonSerializable(typeof(TransactionFilters))]
[JsonSerializable(typeof(Amount))]
[JsonSerializable(typeof(CreatedItem))]
[JsonSerializable(typeof(ExpectedPayment))]
[JsonSerializable(typeof(DecidedPayout))]
[JsonSerializable(typeof(RequestedPayoutBatch))]
[JsonSerializable(typeof(DecidedPayoutBatch))]
[JsonSerializable(typeof(PayoutBatchSummary))]
[JsonSerializable(typeof(Transaction))]
[JsonSerializable(typeof(TransactionsPage))]
[JsonSerializable(typeof(Balance))]
[JsonSerializable(typeof(Receipt))]
[JsonSerializable(typeof(WebhookEvent))]
[JsonSerializable(typeof(EventsPage))]
internal sealed partial class PesaPostJson : JsonSerializerContext
{
    /// <exception cref="ArgumentException">A text is not Unicode.</exception>
    public static byte[] Write<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, TypeOf<T>(Default.Options));

    /// <exception cref="JsonException">The text is no such value.</exception>
    public static T? Value<T>(JsonElement element) => element.Deserialize(TypeOf<T>(Default.Options));

    public static JsonTypeInfo<T> TypeOf<T>(JsonSerializerOptions options) =>
        (JsonTypeInfo<T>)options.GetTypeInfo(typeof(T));

    /// <summary>Reads an object, and keeps it as it came.</summary>
    /// <exception cref="JsonException">A known member has another type.</exception>
    public static T Read<T>(JsonElement element)
        where T : ApiObject
    {
        T value = Value<T>(element) ?? throw new JsonException("null is no object");
        return value with { Json = element };
    }
}

/// <summary>Reads an object inside another one, and keeps it as it came.</summary>
internal sealed class ObjectConverter<T> : JsonConverter<T>
    where T : ApiObject
{
    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        PesaPostJson.Read<T>(JsonElement.ParseValue(ref reader));

    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) =>
        JsonSerializer.Serialize(writer, value, PesaPostJson.TypeOf<T>(options));
}

/// <summary>Reads a list of objects, and keeps each as it came.</summary>
internal sealed class ListConverter<T> : JsonConverter<IReadOnlyList<T>>
    where T : ApiObject
{
    public override IReadOnlyList<T> Read(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        JsonElement list = JsonElement.ParseValue(ref reader);
        return list.ValueKind == JsonValueKind.Array
            ? [.. list.EnumerateArray().Select(PesaPostJson.Read<T>)]
            : throw new JsonException("not a list");
    }

    public override void Write(Utf8JsonWriter writer, IReadOnlyList<T> value, JsonSerializerOptions options) =>
        JsonSerializer.Serialize(writer, value, PesaPostJson.TypeOf<IReadOnlyList<T>>(options));
}

/// <summary>Refuses text that is not Unicode, which a writer would replace silently.</summary>
internal sealed class UnicodeConverter : JsonConverter<string>
{
    public override string? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.TokenType == JsonTokenType.String ? reader.GetString() : throw new JsonException("not a text");

    public override string ReadAsPropertyName(
        ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        reader.GetString()!;

    public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options) =>
        writer.WriteStringValue(Query.Utf8.GetBytes(value));
}
