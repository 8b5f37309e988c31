using System.Net;
using PesaPost.Signing;

namespace PesaPost;

/// <summary>A client of PesaPost V4 for one credential. Make one and keep it, because it keeps the token.</summary>
/// <remarks>Any number of threads may use one client.</remarks>
public sealed class PesaPostClient : IDisposable
{
    private readonly HttpClient? _owned;

    /// <summary>Checks the options; no request is sent.</summary>
    /// <param name="options">The address and the credential.</param>
    /// <param name="httpClient">
    /// An HttpClient of your own, for a proxy, a certificate authority or a test. Its handlers must neither follow
    /// redirects nor repeat requests. If it is null, the client makes one and disposes of it.
    /// </param>
    /// <exception cref="ArgumentException">An option cannot work. The message names it.</exception>
    public PesaPostClient(PesaPostOptions options, HttpClient? httpClient = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (string.IsNullOrEmpty(options.ClientId) || string.IsNullOrEmpty(options.ClientSecret))
        {
            throw new ArgumentException("ClientId or ClientSecret is missing", nameof(options));
        }
        string origin = OriginOf(options);
        SigningKey key = new(options.PrivateKey ?? "");
        TimeProvider time = options.TimeProvider;
        _owned = httpClient is null ? MakeHttpClient() : null;
        Wire wire = new(httpClient ?? _owned!, origin, options.Timeout, time);
        TokenSource tokens = new(wire, options.ClientId, options.ClientSecret, time);
        Connection connection = new(wire, tokens, key, options.Retries, time);
        Collections = new(connection);
        Payouts = new(connection);
        PayoutBatches = new(connection);
        Transactions = new(connection);
        Accounts = new(connection);
        Events = new(connection);
    }

    /// <summary>Money from customers' phones.</summary>
    public CollectionsApi Collections { get; }

    /// <summary>Money to customers' phones.</summary>
    public PayoutsApi Payouts { get; }

    /// <summary>Many payouts as one batch.</summary>
    public PayoutBatchesApi PayoutBatches { get; }

    /// <summary>The list of collections and payouts.</summary>
    public TransactionsApi Transactions { get; }

    /// <summary>The merchant's accounts.</summary>
    public AccountsApi Accounts { get; }

    /// <summary>The webhooks' events, stored.</summary>
    public EventsApi Events { get; }

    /// <summary>Closes the connections, unless the HttpClient is yours.</summary>
    public void Dispose() => _owned?.Dispose();

    /// <summary>Returns scheme and host (SDK-9). A base has no path, because the signature covers it.</summary>
    private static string OriginOf(PesaPostOptions options)
    {
        if (!Uri.TryCreate(options.BaseUrl, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https"))
        {
            throw new ArgumentException("BaseUrl is no URL; it looks like https://api.example.com", nameof(options));
        }
        if (uri.PathAndQuery != "/" || uri.Fragment.Length > 0 || uri.UserInfo.Length > 0)
        {
            throw new ArgumentException(
                "BaseUrl is scheme and host alone; the client adds /api/v4 itself", nameof(options));
        }
        if (uri.Scheme == "http" && !options.AllowHttp && !IsThisMachine(uri.DnsSafeHost))
        {
            throw new ArgumentException(
                "BaseUrl must be https, because secrets travel in it; or set AllowHttp", nameof(options));
        }
        return uri.GetLeftPart(UriPartial.Authority);
    }

    private static bool IsThisMachine(string host) =>
        host == "localhost" || (IPAddress.TryParse(host, out IPAddress? address) && IPAddress.IsLoopback(address));

    private static HttpClient MakeHttpClient()
    {
        SocketsHttpHandler handler = new()
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            // Servers often close idle connections after 5 s. A connection that is about to be closed would fail a try.
            PooledConnectionIdleTimeout = TimeSpan.FromSeconds(4),
            // A new connection follows a change of the server's address.
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        };
        return new(handler) { Timeout = Timeout.InfiniteTimeSpan };
    }
}
