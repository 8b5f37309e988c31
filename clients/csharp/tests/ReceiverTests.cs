using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Primitives;

namespace PesaPost.Tests;

/// <summary>Tests of the receiver, behind minimal APIs of ASP.NET (SDK-18).</summary>
public static class ReceiverTests
{
    private const string Delivered = """{"id":"e-1","type":"collection.completed","data":{"amount_minor":100}}""";

    public static async Task ItAnswers204OnceTheEventWasHandled()
    {
        await using Started started = await Started.NewAsync();
        Check.Equal(204, await started.PostAsync(Delivered, "whsec_1"));
        Check.Same(["e-1"], started.Events);
    }

    public static async Task ItAnswers400ToARequestThatDoesNotVerify()
    {
        await using Started started = await Started.NewAsync();
        Check.Equal(400, await started.PostAsync(Delivered, "whsec_3"));
        Check.Equal(400, await started.PostAsync(Delivered, secret: null));
        Check.Same(["no_matching_signature", "missing_header"], started.Refused);
        Check.Equal(0, started.Events.Count);
    }

    public static async Task ItAnswers413ToABodyOver64KiB()
    {
        await using Started started = await Started.NewAsync();
        string longest = Delivered.PadLeft(64 * 1024);
        Check.Equal(204, await started.PostAsync(longest, "whsec_1"));
        Check.Equal(413, await started.PostAsync(" " + longest, "whsec_1"));
    }

    public static async Task ItAnswers500IfTheEventWasNotHandled()
    {
        await using Started started = await Started.NewAsync();
        Check.Equal(500, await started.PostAsync(Delivered.Replace("100", "500", StringComparison.Ordinal), "whsec_1"));
        Check.Same(["no database"], started.Failed);
    }

    public static async Task ItAnswers400IfTheSenderLeft()
    {
        WebhookReceiver receiver = new(new("whsec_1"), (_, _) => Task.CompletedTask);
        using FailingStream left = new();
        Check.Equal(400, await receiver.ReceiveAsync(left, new Dictionary<string, string[]>()));
    }

    public static void AHeaderThatAppearsTwiceIsRefused()
    {
        WebhookVerifier verifier = new("whsec_1");
        KeyValuePair<string, string>[] headers = [.. Signed(Delivered, "whsec_1"), new("pesapost-event-id", "e-2")];
        WebhookVerificationException refusal = Check.Throws<WebhookVerificationException>(
            () => verifier.Verify(Encoding.UTF8.GetBytes(Delivered), headers));
        Check.Equal("missing_header", refusal.Code);
    }

    public static void HeadersOfEachServerAreRead()
    {
        WebhookVerifier verifier = new("whsec_1");
        byte[] body = Encoding.UTF8.GetBytes(Delivered);
        Dictionary<string, string> plain = Signed(Delivered, "whsec_1");
        Dictionary<string, StringValues> ofAspNet =
            plain.ToDictionary(each => each.Key, each => new StringValues(each.Value));
        using HttpRequestMessage ofHttpClient = new();
        foreach ((string name, string value) in plain)
        {
            ofHttpClient.Headers.Add(name, value);
        }
        Check.Equal("e-1", verifier.Verify(body, plain).Id);
        Check.Equal("e-1", verifier.Verify(body, ofAspNet).Id);
        Check.Equal("e-1", verifier.Verify(body, ofHttpClient.Headers).Id);
    }

    public static void ATimestampOfAnotherMillenniumIsOutOfTolerance()
    {
        WebhookVerificationException refusal = Check.Throws<WebhookVerificationException>(() =>
            new WebhookVerifier("whsec_1").Verify(
                Encoding.UTF8.GetBytes(Delivered), Signed(Delivered, "whsec_1", "999999999999")));
        Check.Equal("timestamp_out_of_tolerance", refusal.Code);
    }

    private static Dictionary<string, string> Signed(string body, string secret, string? timestamp = null)
    {
        string now = timestamp ?? $"{DateTimeOffset.UtcNow.ToUnixTimeSeconds()}";
        byte[] code = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), Encoding.UTF8.GetBytes($"e-1.{now}.{body}"));
        return new()
        {
            ["PesaPost-Event-Id"] = "e-1",
            ["PesaPost-Timestamp"] = now,
            ["PesaPost-Signature"] = $"v4={Convert.ToHexStringLower(code)}",
        };
    }

    private sealed class FailingStream : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new IOException("the connection was reset");
    }

    /// <summary>A server with a receiver, and what the receiver reports.</summary>
    private sealed class Started(WebApplication app) : IAsyncDisposable
    {
        private readonly HttpClient _http = new();

        public List<string> Events { get; } = [];

        public List<string> Refused { get; } = [];

        public List<string> Failed { get; } = [];

        public static async Task<Started> NewAsync()
        {
            WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
            builder.Logging.ClearProviders();
            WebApplication app = builder.Build();
            Started started = new(app);
            WebhookReceiver receiver = new(new("whsec_2", "whsec_1"), started.HandleAsync)
            {
                OnRefused = refusal => started.Refused.Add(refusal.Code),
                OnFailed = failure => started.Failed.Add(failure.Message),
            };
            app.MapPost("/webhooks", async (HttpRequest request, CancellationToken end) =>
                Results.StatusCode(await receiver.ReceiveAsync(request.Body, request.Headers, end)));
            app.Urls.Add("http://127.0.0.1:0");
            await app.StartAsync();
            return started;
        }

        public async Task<int> PostAsync(string body, string? secret)
        {
            using HttpRequestMessage request = new(HttpMethod.Post, $"{app.Urls.Single()}/webhooks")
            {
                Content = new StringContent(body, Encoding.UTF8, new MediaTypeHeaderValue("application/json")),
            };
            foreach ((string name, string value) in secret is null ? [] : Signed(body, secret))
            {
                request.Headers.Add(name, value);
            }
            using HttpResponseMessage answer = await _http.SendAsync(request);
            return (int)answer.StatusCode;
        }

        public async ValueTask DisposeAsync()
        {
            _http.Dispose();
            await app.DisposeAsync();
        }

        private Task HandleAsync(WebhookEvent received, CancellationToken end)
        {
            if (received.Data.AmountMinor == 500)
            {
                throw new InvalidOperationException("no database");
            }
            Events.Add(received.Id);
            return Task.CompletedTask;
        }
    }
}
