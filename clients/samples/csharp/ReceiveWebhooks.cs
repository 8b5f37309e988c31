namespace PesaPost.Samples;

internal static class ReceiveWebhooks
{
    public static async Task RunAsync(PesaPostClient _)
    {
        // sample
        string secret =
            Environment.GetEnvironmentVariable("WEBHOOK_SECRET")!;
        WebhookReceiver receiver = new(
            new WebhookVerifier(secret),
            // Called once the signature has been verified.
            (received, _) => SaveAsync(
                received.Id, received.Type, received.Data));

        WebApplication app = WebApplication.Create();
        app.MapPost("/webhooks", async (HttpRequest request) =>
            Results.StatusCode(await receiver.ReceiveAsync(
                request.Body, request.Headers)));
        string port = Environment.GetEnvironmentVariable("PORT")!;
        await app.RunAsync($"http://*:{port}");
        // end
    }

    private static Task SaveAsync(string _, string type, Transaction data) =>
        Console.Out.WriteLineAsync($"{type} {data.Reference}");
}
