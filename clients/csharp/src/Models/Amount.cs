using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;

namespace PesaPost;

/// <summary>A number of minor units, exact at any size (SDK-13): KES 250.00 is <c>25_000</c>.</summary>
/// <remarks>An integer converts to an amount, but no <c>double</c> does. The default is 0.</remarks>
[JsonConverter(typeof(AmountConverter))]
public readonly record struct Amount : IComparable<Amount>
{
    private readonly BigInteger _units;

    private Amount(BigInteger units) => _units = units;

    /// <summary>Returns the amount of so many minor units, for amounts beyond <c>long</c>.</summary>
    public static Amount FromMinor(BigInteger units) => new(units);

    /// <summary>Returns a decimal amount in minor units: <c>FromMajor(250.00m)</c> is 25,000.</summary>
    /// <param name="amount">The amount in the currency itself.</param>
    /// <param name="decimals">The currency's decimals; 2 for KES.</param>
    /// <exception cref="ArgumentException">The amount has a part of a minor unit.</exception>
    public static Amount FromMajor(decimal amount, int decimals = 2)
    {
        Span<int> bits = stackalloc int[4];
        decimal.GetBits(amount, bits);
        BigInteger digits = new(new decimal(bits[0], bits[1], bits[2], amount < 0, 0));
        BigInteger units = BigInteger.DivRem(
            digits * BigInteger.Pow(10, decimals), BigInteger.Pow(10, amount.Scale), out BigInteger rest);
        return rest.IsZero
            ? new(units)
            : throw new ArgumentException($"an amount has at most {decimals} decimals", nameof(amount));
    }

    /// <summary>Returns a member of an answer that has no property: an integer, also one in quotes.</summary>
    /// <exception cref="JsonException">The member is no integer.</exception>
    public static Amount FromJson(JsonElement element) => PesaPostJson.Value<Amount>(element);

    /// <summary>Returns the amount in the currency itself: 25,000 is <c>250.00m</c>.</summary>
    /// <param name="decimals">The currency's decimals; 2 for KES.</param>
    /// <exception cref="OverflowException">The amount does not fit into a <c>decimal</c>.</exception>
    public decimal ToMajor(int decimals = 2)
    {
        Span<int> bits = stackalloc int[4];
        decimal.GetBits((decimal)_units, bits);
        return new decimal(bits[0], bits[1], bits[2], _units.Sign < 0, checked((byte)decimals));
    }

    /// <summary>Returns the minor units as a number of any size.</summary>
    public BigInteger ToBigInteger() => _units;

    /// <summary>Returns the minor units in decimal digits.</summary>
    public override string ToString() => _units.ToString(CultureInfo.InvariantCulture);

    /// <inheritdoc />
    public int CompareTo(Amount other) => _units.CompareTo(other._units);

    /// <summary>Returns the amount of so many minor units.</summary>
    public static implicit operator Amount(long units) => new(units);

    /// <summary>Returns the minor units.</summary>
    /// <exception cref="OverflowException">The amount does not fit into a <c>long</c>.</exception>
    public static explicit operator long(Amount amount) => (long)amount._units;

    /// <summary>Returns the sum.</summary>
    public static Amount operator +(Amount left, Amount right) => new(left._units + right._units);

    /// <summary>Returns the difference.</summary>
    public static Amount operator -(Amount left, Amount right) => new(left._units - right._units);

    /// <summary>Returns the amount with the other sign.</summary>
    public static Amount operator -(Amount amount) => new(-amount._units);

    /// <summary>Returns true if the left amount is less.</summary>
    public static bool operator <(Amount left, Amount right) => left._units < right._units;

    /// <summary>Returns true if the left amount is more.</summary>
    public static bool operator >(Amount left, Amount right) => left._units > right._units;

    /// <summary>Returns true if the left amount is not more.</summary>
    public static bool operator <=(Amount left, Amount right) => left._units <= right._units;

    /// <summary>Returns true if the left amount is not less.</summary>
    public static bool operator >=(Amount left, Amount right) => left._units >= right._units;
}

/// <summary>Writes an amount as a number with exactly its digits, and reads an integer, also one in quotes.</summary>
internal sealed partial class AmountConverter : JsonConverter<Amount>
{
    public override Amount Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        bool hasDigits = reader.TokenType is JsonTokenType.Number or JsonTokenType.String;
        ReadOnlySpan<byte> token = reader.HasValueSequence ? reader.ValueSequence.ToArray() : reader.ValueSpan;
        string text = Encoding.UTF8.GetString(token);
        return hasDigits && Integer().IsMatch(text)
            ? Amount.FromMinor(BigInteger.Parse(text, CultureInfo.InvariantCulture))
            : throw new JsonException("an amount is an integer of minor units");
    }

    public override void Write(Utf8JsonWriter writer, Amount value, JsonSerializerOptions options) =>
        writer.WriteRawValue(value.ToString());

    [GeneratedRegex(@"^-?(0|[1-9][0-9]*)\z")]
    private static partial Regex Integer();
}
