namespace PesaPost.Samples;

internal static class ListEvents
{
    public static async Task RunAsync(PesaPostClient client)
    {
        // sample
        // Each event after the last one that you handled.
        IAsyncEnumerable<WebhookEvent> events =
            client.Events.AllAsync(afterSequence: 41);
        await foreach (WebhookEvent each in events)
        {
            Console.WriteLine($"{each.Sequence} {each.Type}");
        }
        // end
    }
}
