using System.Security.Cryptography;

namespace PesaPost.Signing;

/// <summary>The parts of a request that a signature covers.</summary>
internal sealed record RequestToSign(
    string Method, string RawPath, string RawQuery, byte[] Body, string Nonce, string Timestamp)
{
    /// <summary>Returns the six lines of AUTH-11.</summary>
    /// <exception cref="ArgumentException">The query is malformed.</exception>
    public string Text()
    {
        string digest = Convert.ToHexStringLower(SHA256.HashData(Body));
        return string.Join('\n', Method, RawPath, Query.Canonical(RawQuery), digest, Nonce, Timestamp);
    }
}
