using System.Security.Cryptography;

namespace PesaPost.Tests;

public static class OptionsTests
{
    private const string Nowhere = "http://127.0.0.1:1";

    public static void KeysOfBothFormsAndWithEscapedLineFeedsAreAccepted()
    {
        using RSA rsa = RSA.Create(2048);
        string[] keys =
        [
            rsa.ExportPkcs8PrivateKeyPem(),
            rsa.ExportRSAPrivateKeyPem(),
            rsa.ExportPkcs8PrivateKeyPem().Replace("\n", "\\n", StringComparison.Ordinal),
            rsa.ExportPkcs8PrivateKeyPem().Replace("\n", "\r\n", StringComparison.Ordinal),
        ];
        foreach (string key in keys)
        {
            new PesaPostClient(ScriptedService.OptionsFor(Nowhere, key: key)).Dispose();
        }
    }

    public static void OtherKeysAreRefusedByTheirFault()
    {
        using RSA rsa = RSA.Create(2048);
        using RSA small = RSA.Create(1024);
        using ECDsa curve = ECDsa.Create();
        PbeParameters encryption = new(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1);
        Dictionary<string, string[]> faults = new()
        {
            ["2048 bits"] = [small.ExportPkcs8PrivateKeyPem()],
            ["not an RSA key"] = [curve.ExportPkcs8PrivateKeyPem(), curve.ExportECPrivateKeyPem()],
            ["encrypted"] = [rsa.ExportEncryptedPkcs8PrivateKeyPem("password", encryption)],
            ["no private key"] = ["", "-----BEGIN", rsa.ExportSubjectPublicKeyInfoPem()],
        };
        foreach ((string fault, string[] keys) in faults)
        {
            foreach (string key in keys)
            {
                ArgumentException refusal = Check.Throws<ArgumentException>(
                    () => new PesaPostClient(ScriptedService.OptionsFor(Nowhere, key: key)));
                Check.Contains(fault, refusal.Message);
            }
        }
    }

    public static void OptionsThatCannotWorkAreRefused()
    {
        Check.Throws<ArgumentException>(() => new PesaPostClient(null!));
        Check.Throws<ArgumentException>(() => new PesaPostClient(With(id: "")));
        Check.Throws<ArgumentException>(() => new PesaPostClient(With(secret: "")));
        Check.Throws<ArgumentException>(() => With(timeout: TimeSpan.Zero));
        Check.Throws<ArgumentException>(() => With(timeout: Timeout.InfiniteTimeSpan));
        Check.Throws<ArgumentException>(() => new RetryPolicy { MaxRetries = 21 });
        Check.Throws<ArgumentException>(() => new RetryPolicy { MaxRetries = -1 });
        Check.Throws<ArgumentException>(() => new RetryPolicy { BaseDelay = TimeSpan.FromSeconds(-1) });
        Check.Throws<ArgumentException>(() => new RetryPolicy { MaxDelay = TimeSpan.MaxValue });
    }

    public static void PlainHttpIsForThisMachineUnlessItIsAllowed()
    {
        string[] safe = ["http://localhost", "http://127.0.0.2:80/", "http://[::1]:8080", "https://a.example"];
        foreach (string url in safe)
        {
            new PesaPostClient(ScriptedService.OptionsFor(url)).Dispose();
        }
        string[] refused = ["http://a.example", "http://localhost.example", "https://a.example?", "https://a.example#"];
        foreach (string url in refused)
        {
            Check.Throws<ArgumentException>(() => new PesaPostClient(ScriptedService.OptionsFor(url)));
        }
        new PesaPostClient(With(url: "http://a.example", allowHttp: true)).Dispose();
    }

    public static void PrintedOptionsAndClientsShowNoSecret()
    {
        PesaPostOptions options = With();
        using PesaPostClient client = new(options);
        string text = $"{options} {client} {client.Collections} {new WebhookVerifier("whsec_1")}";
        foreach (string secret in (string[])["secret-1", "PRIVATE KEY", "whsec_1"])
        {
            Check.Equal(false, text.Contains(secret, StringComparison.Ordinal), text);
        }
    }

    private static PesaPostOptions With(
        string url = Nowhere,
        string id = "client-1",
        string secret = "secret-1",
        TimeSpan? timeout = null,
        bool allowHttp = false) =>
        new()
        {
            BaseUrl = url,
            ClientId = id,
            ClientSecret = secret,
            PrivateKey = ScriptedService.Key,
            Timeout = timeout ?? TimeSpan.FromMinutes(1),
            AllowHttp = allowHttp,
        };
}
