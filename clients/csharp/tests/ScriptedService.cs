using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace PesaPost.Tests;

/// <summary>A scripted PesaPost on loopback: it gives out tokens, and a function answers the rest.</summary>
internal sealed class ScriptedService : IAsyncDisposable
{
    public const string Completed = """{"status":"completed","amount_minor":25000}""";

    public static readonly string Key = RSA.Create(2048).ExportPkcs8PrivateKeyPem();

    private readonly WebApplication _app;
    private int _tokens;

    private ScriptedService(WebApplication app) => _app = app;

    public string Url => _app.Urls.Single();

    public int Tokens => _tokens;

    public ConcurrentQueue<string> Nonces { get; } = [];

    public ConcurrentQueue<string> Paths { get; } = [];

    public static async Task<ScriptedService> StartAsync(Func<HttpContext, Task> answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        ScriptedService service = new(app);
        app.Run(context => service.AnswerAsync(context, answer));
        await app.StartAsync();
        return service;
    }

    public static Task<ScriptedService> StartAsync(string json) =>
        StartAsync(context => context.Response.WriteAsync(json));

    public PesaPostClient Client(HttpClient? httpClient = null, RetryPolicy? retries = null) =>
        new(OptionsFor(Url, retries), httpClient);

    /// <summary>Returns the options of a client with quick retries.</summary>
    public static PesaPostOptions OptionsFor(string url, RetryPolicy? retries = null, string? key = null) =>
        new()
        {
            BaseUrl = url,
            ClientId = "client-1",
            ClientSecret = "secret-1",
            PrivateKey = key ?? Key,
            Timeout = TimeSpan.FromMinutes(1),
            Retries = retries ?? new() { BaseDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMinutes(1) },
        };

    /// <summary>Ends the connection as a server does that is tired of it: no byte of an answer, and no reset.</summary>
    public static void End(HttpContext context) =>
        context.Features.Get<IConnectionSocketFeature>()!.Socket.Shutdown(SocketShutdown.Both);

    public async ValueTask DisposeAsync()
    {
        // Answers that never come would hold up a stop that waits for them.
        using CancellationTokenSource now = new(TimeSpan.Zero);
        await _app.StopAsync(now.Token);
        await _app.DisposeAsync();
    }

    private async Task AnswerAsync(HttpContext context, Func<HttpContext, Task> answer)
    {
        if (context.Request.Path == "/api/v4/oauth/token")
        {
            int count = Interlocked.Increment(ref _tokens);
            await context.Response.WriteAsync($$"""{"access_token":"token-{{count}}","expires_in":3600}""");
            return;
        }
        await context.Request.Body.CopyToAsync(Stream.Null);
        Nonces.Enqueue(context.Request.Headers["X-PP-Nonce"].ToString());
        Paths.Enqueue(context.Features.Get<IHttpRequestFeature>()!.RawTarget);
        await answer(context);
    }
}
