using System.Globalization;
using System.Text;

namespace PesaPost.Signing;

/// <summary>The one spelling of a query that both ends sign (AUTH-12).</summary>
internal static class Query
{
    /// <summary>UTF-8 that fails on text which is not Unicode, instead of replacing it.</summary>
    public static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Returns the parameters encoded, sorted and joined.</summary>
    /// <exception cref="ArgumentException">A name or a value is not Unicode.</exception>
    public static string Encode(IEnumerable<KeyValuePair<string, string>> parameters)
    {
        IEnumerable<string> encoded = parameters
            .Select(each => (Name: EncodePart(each.Key), Value: EncodePart(each.Value)))
            .OrderBy(each => each.Name, StringComparer.Ordinal)
            .ThenBy(each => each.Value, StringComparer.Ordinal)
            .Select(each => $"{each.Name}={each.Value}");
        return string.Join('&', encoded);
    }

    /// <summary>Percent-encodes by RFC 3986: only unreserved characters are kept.</summary>
    /// <exception cref="ArgumentException">The text is not Unicode.</exception>
    public static string EncodePart(string text)
    {
        _ = Utf8.GetByteCount(text);
        return Uri.EscapeDataString(text);
    }

    /// <summary>Returns the canonical spelling of a query as sent.</summary>
    /// <exception cref="ArgumentException">The query is malformed.</exception>
    public static string Canonical(string rawQuery) =>
        Encode(rawQuery.Split('&', StringSplitOptions.RemoveEmptyEntries).Select(ParameterIn));

    private static KeyValuePair<string, string> ParameterIn(string segment)
    {
        int equals = segment.IndexOf('=', StringComparison.Ordinal);
        return equals < 0
            ? KeyValuePair.Create(Decode(segment), "")
            : KeyValuePair.Create(Decode(segment[..equals]), Decode(segment[(equals + 1)..]));
    }

    private static string Decode(string text)
    {
        byte[] bytes = new byte[text.Length];
        int length = 0;
        for (int at = 0; at < text.Length; at++)
        {
            if (text[at] is < '\x21' or > '\x7e')
            {
                throw new ArgumentException("a query contains a character that must be percent-encoded");
            }
            bool isEncoded = text[at] == '%';
            bytes[length++] = isEncoded ? ByteAt(text, at + 1) : (byte)text[at];
            at += isEncoded ? 2 : 0;
        }
        return Utf8.GetString(bytes, 0, length);
    }

    private static byte ByteAt(string text, int at) =>
        at + 2 <= text.Length
        && byte.TryParse(
            text.AsSpan(at, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out byte value)
            ? value
            : throw new ArgumentException("a query contains a broken percent-encoding");
}
