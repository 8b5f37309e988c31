using System.Runtime.CompilerServices;
using System.Text.Json;

namespace PesaPost;

/// <summary>The list of collections and payouts, newest first.</summary>
public sealed class TransactionsApi
{
    private const string Path = "/api/v4/transactions";

    private readonly Connection _connection;

    internal TransactionsApi(Connection connection) => _connection = connection;

    /// <summary>Returns one page: at least as new as one position, or as of another.</summary>
    /// <exception cref="PesaPostException">The call failed.</exception>
    public async Task<TransactionsPage> ListAsync(
        TransactionFilters? filters = null,
        string? minPosition = null,
        string? atPosition = null,
        CancellationToken cancellationToken = default)
    {
        ApiCall call = new("GET", Path)
        {
            Query = ParametersOf(filters ?? new()),
            MinPosition = minPosition,
            AtPosition = atPosition,
        };
        TransactionsPage page = await _connection
            .GetAsync<TransactionsPage>(call, cancellationToken)
            .ConfigureAwait(false);
        return page.Json.TryGetProperty("data", out _) ? page : throw PesaPostException.NotAPage(Path);
    }

    /// <summary>Walks page after page (SDK-14), each fetched only when it is needed.</summary>
    /// <remarks>To continue on another day, store the last page's <see cref="TransactionsPage.NextCursor"/>.</remarks>
    /// <exception cref="PesaPostException">A call failed.</exception>
    public async IAsyncEnumerable<TransactionsPage> PagesAsync(
        TransactionFilters? filters = null,
        string? minPosition = null,
        string? atPosition = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        TransactionFilters next = filters ?? new();
        while (true)
        {
            TransactionsPage page = await ListAsync(next, minPosition, atPosition, cancellationToken)
                .ConfigureAwait(false);
            yield return page;
            if (page.NextCursor is null && page.Json.TryGetProperty("next_cursor", out _))
            {
                yield break;
            }
            // A cursor that leads to itself, or none, would be followed for ever.
            if (page.NextCursor is null || page.NextCursor == next.Cursor)
            {
                throw PesaPostException.NotAPage(Path);
            }
            next = next with { Cursor = page.NextCursor };
        }
    }

    /// <summary>Walks every item of every page.</summary>
    /// <exception cref="PesaPostException">A call failed.</exception>
    public async IAsyncEnumerable<Transaction> AllAsync(
        TransactionFilters? filters = null,
        string? minPosition = null,
        string? atPosition = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        IAsyncEnumerable<TransactionsPage> pages = PagesAsync(filters, minPosition, atPosition, cancellationToken);
        await foreach (TransactionsPage page in pages.ConfigureAwait(false))
        {
            foreach (Transaction item in page.Data)
            {
                yield return item;
            }
        }
    }

    /// <summary>Returns the filters that are set, under their names in JSON.</summary>
    private static List<KeyValuePair<string, string>> ParametersOf(TransactionFilters filters) =>
        [
            .. JsonElement
                .Parse(PesaPostJson.Write(filters))
                .EnumerateObject()
                .Select(each => KeyValuePair.Create(each.Name, each.Value.ToString())),
        ];
}
