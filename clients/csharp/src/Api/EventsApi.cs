using System.Globalization;
using System.Runtime.CompilerServices;

namespace PesaPost;

/// <summary>The webhooks' events, stored: the same bodies in their order, even if a delivery was lost.</summary>
public sealed class EventsApi
{
    private const string Path = "/api/v4/events";

    private readonly Connection _connection;

    internal EventsApi(Connection connection) => _connection = connection;

    /// <summary>Returns one page of the events after a sequence.</summary>
    /// <param name="afterSequence">The sequence of the last event that you handled; 0 for the first page.</param>
    /// <param name="limit">The number of events on a page, 1 to 100; 25 unless set.</param>
    /// <param name="minPosition">The position that the answer must at least reflect.</param>
    /// <param name="cancellationToken">Ends the call, its delays and its retries.</param>
    /// <exception cref="PesaPostException">The call failed.</exception>
    public async Task<EventsPage> ListAsync(
        long afterSequence = 0,
        int? limit = null,
        string? minPosition = null,
        CancellationToken cancellationToken = default)
    {
        List<KeyValuePair<string, string>> query =
            [new("after_sequence", afterSequence.ToString(CultureInfo.InvariantCulture))];
        if (limit is { } most)
        {
            query.Add(new("limit", most.ToString(CultureInfo.InvariantCulture)));
        }
        ApiCall call = new("GET", Path) { Query = query, MinPosition = minPosition };
        EventsPage page = await _connection.GetAsync<EventsPage>(call, cancellationToken).ConfigureAwait(false);
        return page.Json.TryGetProperty("data", out _) ? page : throw PesaPostException.NotAPage(Path);
    }

    /// <summary>Walks every event after a sequence up to the newest, in order (SDK-15).</summary>
    /// <param name="afterSequence">The sequence of the last event that you handled; 0 for the whole feed.</param>
    /// <param name="limit">The number of events on a page, 1 to 100; 25 unless set.</param>
    /// <param name="minPosition">The position that each page must at least reflect.</param>
    /// <param name="cancellationToken">Ends the walk.</param>
    /// <exception cref="PesaPostException">
    /// A call failed, with unexpected_answer if an event is missing between two. A skipped event would never be noticed
    /// again.
    /// </exception>
    public async IAsyncEnumerable<WebhookEvent> AllAsync(
        long afterSequence = 0,
        int? limit = null,
        string? minPosition = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        long last = afterSequence;
        while (true)
        {
            EventsPage page = await ListAsync(last, limit, minPosition, cancellationToken).ConfigureAwait(false);
            foreach (WebhookEvent each in page.Data)
            {
                if (each.Sequence != last + 1)
                {
                    throw PesaPostException.NotAPage(Path);
                }
                last = each.Sequence;
                yield return each;
            }
            if (page.Data.Count == 0)
            {
                yield break;
            }
        }
    }
}
