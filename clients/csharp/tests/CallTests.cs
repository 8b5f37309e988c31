using System.Net;

namespace PesaPost.Tests;

public static class CallTests
{
    private static readonly NewCollection Order = new()
    {
        AccountNo = "10000001",
        Phone = "254712345678",
        AmountMinor = 25_000,
        Currency = "KES",
        Channel = "mpesa",
        Reference = "INV-1",
    };

    public static async Task ManyThreadsShareOneClientAndOneToken()
    {
        await using ScriptedService service = await ScriptedService.StartAsync(ScriptedService.Completed);
        using PesaPostClient client = service.Client();
        await Parallel.ForEachAsync(
            Enumerable.Range(0, 64),
            new ParallelOptions { MaxDegreeOfParallelism = 16 },
            async (_, end) => Check.Equal("completed", (await client.Collections.GetAsync("INV-1", end)).Status));
        Check.Equal(1, service.Tokens);
        Check.Equal(64, service.Nonces.Distinct().Count());
    }

    public static async Task ACallersCancellationEndsACall()
    {
        using CancellationTokenSource caller = new();
        await using ScriptedService service = await ScriptedService.StartAsync(async context =>
        {
            await caller.CancelAsync();
            await Task.Delay(Timeout.Infinite, context.RequestAborted);
        });
        using PesaPostClient client = service.Client();
        OperationCanceledException ended = await Check.ThrowsAsync<OperationCanceledException>(
            () => client.Payouts.RequestAsync(Order, cancellationToken: caller.Token));
        Check.Equal(caller.Token, ended.CancellationToken);
    }

    public static async Task ACallersCancellationEndsADelay()
    {
        using CancellationTokenSource caller = new();
        await using ScriptedService service = await ScriptedService.StartAsync(context =>
        {
            context.Response.Headers.RetryAfter = "60";
            context.Response.StatusCode = 503;
            caller.CancelAfter(TimeSpan.FromMilliseconds(100));
            return Task.CompletedTask;
        });
        using PesaPostClient client = service.Client();
        await Check.ThrowsAsync<OperationCanceledException>(() => client.Collections.GetAsync("INV-1", caller.Token));
        Check.Equal(1, service.Nonces.Count);
    }

    public static async Task ACanceledWaitIsNoUnsettledCollection()
    {
        using CancellationTokenSource caller = new();
        await using ScriptedService service = await ScriptedService.StartAsync(context =>
        {
            caller.CancelAfter(TimeSpan.FromMilliseconds(100));
            return context.Response.WriteAsync("""{"status":"pending","amount_minor":1}""");
        });
        using PesaPostClient client = service.Client();
        await Check.ThrowsAsync<OperationCanceledException>(
            () => client.Collections.WaitUntilSettledAsync("INV-1", cancellationToken: caller.Token));
    }

    public static async Task ACallersCancellationEndsAWalk()
    {
        using CancellationTokenSource caller = new();
        await using ScriptedService service = await ScriptedService.StartAsync(
            """{"data":[{"reference":"A"}],"next_cursor":"next"}""");
        using PesaPostClient client = service.Client();
        await Check.ThrowsAsync<OperationCanceledException>(async () =>
        {
            await foreach (Transaction _ in client.Transactions.AllAsync().WithCancellation(caller.Token))
            {
                await caller.CancelAsync();
            }
        });
        Check.Equal(1, service.Nonces.Count);
    }

    public static async Task OneCallersEndDoesNotEndTheOthersTokenRequest()
    {
        await using ScriptedService service = await ScriptedService.StartAsync(ScriptedService.Completed);
        using PesaPostClient client = service.Client();
        await Check.ThrowsAsync<OperationCanceledException>(
            () => client.Collections.GetAsync("INV-1", new CancellationToken(canceled: true)));
        await client.Collections.GetAsync("INV-1");
        Check.Equal(1, service.Tokens);
    }

    // .NET would repeat a request without a body on its own if a kept connection broke.
    public static async Task EachTryOnAKeptConnectionHasItsOwnNonce()
    {
        Func<PesaPostClient, Task>[] calls =
        [
            client => client.Accounts.GetBalanceAsync("10000001"),
            client => client.Collections.CreateAsync(Order),
        ];
        foreach (Func<PesaPostClient, Task> call in calls)
        {
            int count = 0;
            await using ScriptedService service = await ScriptedService.StartAsync(context =>
            {
                if (++count != 2)
                {
                    return context.Response.WriteAsync(ScriptedService.Completed);
                }
                ScriptedService.End(context);
                return Task.CompletedTask;
            });
            using PesaPostClient client = service.Client();
            await call(client);
            await call(client);
            Check.Equal(3, service.Nonces.Count);
            Check.Equal(3, service.Nonces.Distinct().Count());
        }
    }

    public static async Task ThePathIsSentAsItWasSigned()
    {
        await using ScriptedService service = await ScriptedService.StartAsync(ScriptedService.Completed);
        using PesaPostClient client = service.Client();
        foreach (string reference in (string[])["INV/1", "..", "a b'(é)%41"])
        {
            await client.Payouts.GetAsync(reference);
        }
        Check.Same(
            ["/api/v4/payouts/INV%2F1", "/api/v4/payouts/..", "/api/v4/payouts/a%20b%27%28%C3%A9%29%2541"],
            service.Paths);
    }

    public static async Task WordsThatNoRequestCanCarryAreMistakes()
    {
        using PesaPostClient client = new(ScriptedService.OptionsFor("http://127.0.0.1:1"));
        Func<Task>[] calls =
        [
            () => client.Accounts.GetBalanceAsync("1", minPosition: "1\r\nX: y"),
            () => client.Accounts.GetBalanceAsync("1", atPosition: "1\n"),
            () => client.Collections.CreateAsync(Order, idempotencyKey: "key\n"),
            () => client.Collections.CreateAsync(null!),
            () => client.Collections.CreateAsync(Order with { Reference = "\ud800" }),
            () => client.Transactions.ListAsync(new() { Batch = "\ud800" }),
            () => client.Collections.GetAsync("\ud800"),
            () => client.Collections.WaitUntilSettledAsync("INV-1", TimeSpan.Zero),
        ];
        foreach (Func<Task> call in calls)
        {
            await Check.ThrowsAsync<ArgumentException>(call);
        }
    }

    public static async Task ABrokenConnectionsCauseIsTheInnerException()
    {
        using PesaPostClient client = new(
            ScriptedService.OptionsFor("http://127.0.0.1:1", new() { MaxRetries = 0 }));
        PesaPostException failure = await Check.ThrowsAsync<PesaPostException>(
            () => client.Collections.GetAsync("INV-1"));
        Check.Equal("network_failure", failure.Code);
        Check.Equal(true, failure.InnerException is HttpRequestException);
    }

    public static async Task AKnownMemberOfAnotherTypeIsAnUnexpectedAnswer()
    {
        string[] bodies =
        [
            """{"amount_minor":null}""",
            """{"amount_minor":1.5}""",
            """{"status":7}""",
            """{"status":null}""",
            """{"created_at":"yesterday"}""",
        ];
        foreach (string body in bodies)
        {
            await using ScriptedService service = await ScriptedService.StartAsync(body);
            using PesaPostClient client = service.Client();
            PesaPostException failure = await Check.ThrowsAsync<PesaPostException>(
                () => client.Collections.GetAsync("INV-1"));
            Check.Equal("unexpected_answer", failure.Code);
        }
    }

    public static async Task APageWithoutItsListIsAnUnexpectedAnswer()
    {
        await using ScriptedService service = await ScriptedService.StartAsync("""{"next_cursor":null}""");
        using PesaPostClient client = service.Client();
        Func<Task>[] calls = [() => client.Transactions.ListAsync(), () => client.Events.ListAsync()];
        foreach (Func<Task> call in calls)
        {
            Check.Equal("unexpected_answer", (await Check.ThrowsAsync<PesaPostException>(call)).Code);
        }
    }

    public static async Task AClientDisposesOfItsOwnConnectionsOnly()
    {
        await using ScriptedService service = await ScriptedService.StartAsync(ScriptedService.Completed);
        PesaPostClient owner = service.Client();
        owner.Dispose();
        await Check.ThrowsAsync<ObjectDisposedException>(() => owner.Collections.GetAsync("INV-1"));
        using HttpClient mine = new();
        PesaPostClient user = service.Client(mine);
        user.Dispose();
        Check.Equal(HttpStatusCode.OK, (await mine.GetAsync(new Uri($"{service.Url}/x"))).StatusCode);
    }

    public static async Task AnAnswerThatARedirectLedToIsRefused()
    {
        await using ScriptedService other = await ScriptedService.StartAsync(ScriptedService.Completed);
        await using ScriptedService service = await ScriptedService.StartAsync(context =>
        {
            context.Response.Redirect($"{other.Url}/elsewhere", permanent: false, preserveMethod: true);
            return Task.CompletedTask;
        });
        using HttpClient following = new();
        using PesaPostClient client = service.Client(following);
        PesaPostException failure = await Check.ThrowsAsync<PesaPostException>(
            () => client.Collections.CreateAsync(Order));
        Check.Equal("unexpected_answer", failure.Code);
    }

    public static async Task AnInjectedHttpClientsOwnTimeoutIsATimeout()
    {
        await using ScriptedService service = await ScriptedService.StartAsync(
            context => Task.Delay(Timeout.Infinite, context.RequestAborted));
        using HttpClient impatient = new() { Timeout = TimeSpan.FromMilliseconds(300) };
        using PesaPostClient client = service.Client(impatient, new() { MaxRetries = 0 });
        PesaPostException failure = await Check.ThrowsAsync<PesaPostException>(
            () => client.Collections.GetAsync("INV-1"));
        Check.Equal(ErrorKind.Timeout, failure.Kind);
    }

    public static async Task AReceiptIsKeptAsItCame()
    {
        string text = """{"item":{"reference":"INV-1","amount_minor":1},  "postings":[ ],"head":null}""";
        await using ScriptedService service = await ScriptedService.StartAsync(text);
        using PesaPostClient client = service.Client();
        Receipt receipt = await client.Collections.GetReceiptAsync("INV-1");
        Check.Equal(text, receipt.Text);
        Check.Equal("INV-1", receipt.Item.Reference);
    }
}
