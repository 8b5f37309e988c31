// Runs an example: dotnet run --project clients/csharp/examples -- collect
using PesaPost.Examples;

Dictionary<string, Func<string[], Task>> examples = new()
{
    ["collect"] = Collect.RunAsync,
    ["checkout-link"] = CheckoutLink.RunAsync,
    ["pay-out"] = PayOut.RunAsync,
    ["reconcile"] = Reconcile.RunAsync,
    ["follow-events"] = FollowEvents.RunAsync,
};
if (args is not [string name, .. string[] words] || !examples.TryGetValue(name, out Func<string[], Task>? run))
{
    Console.Error.WriteLine($"usage: {string.Join(" | ", examples.Keys)}");
    return 1;
}
await run(words);
return 0;
