using System.Collections.Concurrent;
using System.Security.Cryptography;

namespace PesaPost.Signing;

/// <summary>An RSA key of 2048 bits or more. Any number of threads may sign with it.</summary>
internal sealed class SigningKey
{
    private const int LeastBits = 2048;
    private const string MakeNew =
        "make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem";

    private readonly string _pem;

    /// <summary>An RSA object is for one thread at a time, so each signature takes one out.</summary>
    private readonly ConcurrentBag<RSA> _idle = [];

    /// <summary>Reads a PEM. Line feeds may be written as <c>\n</c>, as in environment variables.</summary>
    /// <exception cref="ArgumentException">The text is no such key. The message has no part of the key.</exception>
    public SigningKey(string pem)
    {
        _pem = pem.Replace("\\r", "", StringComparison.Ordinal).Replace("\\n", "\n", StringComparison.Ordinal);
        _idle.Add(Import(_pem));
    }

    /// <summary>Returns RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8, in standard base64.</summary>
    public string Sign(string text)
    {
        RSA rsa = _idle.TryTake(out RSA? free) ? free : Import(_pem);
        byte[] signature = rsa.SignData(
            Query.Utf8.GetBytes(text), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        _idle.Add(rsa);
        return Convert.ToBase64String(signature);
    }

    private static RSA Import(string pem)
    {
        if (!PemEncoding.TryFind(pem, out PemFields fields))
        {
            throw Refused("is no private key in PEM");
        }
        string label = pem[fields.Label];
        if (label is not ("PRIVATE KEY" or "RSA PRIVATE KEY"))
        {
            throw Refused(label switch
            {
                "ENCRYPTED PRIVATE KEY" => "is encrypted",
                "EC PRIVATE KEY" => "is not an RSA key",
                _ => "is no private key in PEM",
            });
        }
        RSA rsa = RSA.Create();
        try
        {
            rsa.ImportFromPem(pem);
        }
        catch (CryptographicException)
        {
            rsa.Dispose();
            throw Refused("is not an RSA key");
        }
        return rsa.KeySize >= LeastBits ? rsa : throw Refused("has fewer than 2048 bits");
    }

    private static ArgumentException Refused(string fault) => new($"PrivateKey {fault}; {MakeNew}");
}
