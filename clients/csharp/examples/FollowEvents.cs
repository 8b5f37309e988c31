using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace PesaPost.Examples;

/// <summary>Handles every event once and in order, even if deliveries are lost: <c>follow-events</c>.</summary>
/// <remarks>
/// A webhook only signals that there is an event, and the feed contains it. Settings are WEBHOOK_SECRET, PORT and
/// STATE, which is the file with the last sequence.
/// </remarks>
internal sealed class FollowEvents(PesaPostClient client, string state) : IDisposable
{
    /// <summary>One run after the other, so that no two events are handled at the same time.</summary>
    private readonly SemaphoreSlim _turn = new(1);

    private long _last = File.Exists(state) ? long.Parse(File.ReadAllText(state), CultureInfo.InvariantCulture) : 0;

    public static async Task RunAsync(string[] words)
    {
        using PesaPostClient client = Demo.Client();
        using FollowEvents follower = new(client, Environment.GetEnvironmentVariable("STATE") ?? "last-sequence.txt");
        WebhookVerifier verifier = new((Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "").Split(','));
        WebhookReceiver receiver = new(verifier, follower.ReceiveAsync);

        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        await using WebApplication app = builder.Build();
        app.MapPost("/webhooks", async (HttpRequest request, CancellationToken left) =>
            Results.StatusCode(await receiver.ReceiveAsync(request.Body, request.Headers, left)));
        app.Urls.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "3000"}");
        await app.StartAsync();
        Console.WriteLine($"listening on {app.Urls.Single()}");

        // The feed is read without a webhook too: it has what came while this program was not running, and the newest
        // event if its webhook is lost. No later webhook shows that gap.
        CancellationToken end = app.Lifetime.ApplicationStopping;
        using PeriodicTimer minute = new(TimeSpan.FromMinutes(1));
        try
        {
            do
            {
                await follower.InTurnAsync(() => follower.CatchUpAsync(end), end);
            }
            while (await minute.WaitForNextTickAsync(end));
        }
        catch (OperationCanceledException)
        {
            // The program is asked to end.
        }
    }

    public void Dispose() => _turn.Dispose();

    private Task ReceiveAsync(WebhookEvent received, CancellationToken end) =>
        InTurnAsync(
            async () =>
            {
                if (received.Sequence > _last + 1)
                {
                    Console.WriteLine($"gap: {_last + 1} to {received.Sequence - 1}");
                    await CatchUpAsync(end);
                }
                else if (received.Sequence == _last + 1)
                {
                    await HandleAsync(received);
                }
                // The feed may be a moment behind. If the delivery is refused, it is sent again.
                if (received.Sequence > _last)
                {
                    throw new InvalidOperationException("the feed does not have the event yet");
                }
            },
            end);

    private async Task InTurnAsync(Func<Task> work, CancellationToken end)
    {
        await _turn.WaitAsync(end);
        try
        {
            await work();
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task CatchUpAsync(CancellationToken end)
    {
        try
        {
            await foreach (WebhookEvent missed in client.Events.AllAsync(_last, limit: 100, cancellationToken: end))
            {
                await HandleAsync(missed);
            }
        }
        catch (PesaPostException failure)
        {
            // The next run begins at the event that is missing.
            Console.Error.WriteLine(failure.Message);
        }
    }

    /// <summary>Does the work. A service writes the sequence in the same transaction.</summary>
    private async Task HandleAsync(WebhookEvent each)
    {
        Console.WriteLine($"{each.Sequence} {each.Type}: {each.Data.Reference}, {each.Data.AmountMinor} minor");
        await File.WriteAllTextAsync($"{state}.new", each.Sequence.ToString(CultureInfo.InvariantCulture));
        File.Move($"{state}.new", state, overwrite: true);
        _last = each.Sequence;
    }
}
