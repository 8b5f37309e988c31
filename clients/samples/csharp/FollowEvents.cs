using System.Globalization;

namespace PesaPost.Samples;

internal static class FollowEvents
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // In your service: a row that is written with the work.
        const string file = "last-sequence.txt";
        long last = File.Exists(file)
            ? long.Parse(
                File.ReadAllText(file), CultureInfo.InvariantCulture)
            : 0;
        using SemaphoreSlim oneAtATime = new(1);

        // A webhook only says that there are events. The feed has them all.
        async Task CatchUpAsync(WebhookEvent webhook)
        {
            await oneAtATime.WaitAsync();
            try
            {
                await foreach (WebhookEvent each in
                    client.Events.AllAsync(last))
                {
                    Handle(each);
                    last = each.Sequence;
                    await File.WriteAllTextAsync(file, $"{last}");
                }
                // The feed may be a moment behind.
                // After a 500, the webhook is sent again.
                if (last < webhook.Sequence)
                {
                    throw new InvalidOperationException("the feed is behind");
                }
            }
            finally
            {
                oneAtATime.Release();
            }
        }

        string secret =
            Environment.GetEnvironmentVariable("WEBHOOK_SECRET")!;
        WebhookReceiver receiver = new(
            new WebhookVerifier(secret),
            (webhook, _) => CatchUpAsync(webhook));

        WebApplication app = WebApplication.Create();
        app.MapPost("/webhooks", async (HttpRequest request) =>
            Results.StatusCode(await receiver.ReceiveAsync(
                request.Body, request.Headers)));
        string port = Environment.GetEnvironmentVariable("PORT")!;
        await app.RunAsync($"http://*:{port}");
        // end
    }

    private static void Handle(WebhookEvent each) =>
        Console.WriteLine($"{each.Sequence} {each.Type} {each.Data.Reference}");
}
