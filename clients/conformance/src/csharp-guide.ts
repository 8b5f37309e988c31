/**
 * Returns the program of C#'s guide: the first example, the names that the guide's examples use, these examples as they
 * are printed, and the delivery of two webhooks.
 */
export function guideOfCSharp(first: string, examples: readonly string[]): string {
  return [first, names, ...examples, deliver].join('\n');
}

const names = `
string accountNo = Of("account_no");
NewCollection Item(string reference, long minor) => new()
{
    AccountNo = accountNo, Phone = "254712345678", AmountMinor = minor,
    Currency = "KES", Channel = "mpesa", Reference = reference,
};
await client.Collections.CreateAsync(Item("INV-5001", 1000));
await client.Collections.WaitUntilSettledAsync("INV-5001");
NewCollection order = Item("INV-5001", 9900);
NewCollection payout = Item("GUIDE-CSHARP-P", 1000);
string OfChecker(string name) => (string)demo["v4_checker"]![name]!;
using PesaPostClient secondHolder = new(new()
{
    BaseUrl = OfChecker("base_url"), ClientId = OfChecker("client_id"),
    ClientSecret = OfChecker("client_secret"), PrivateKey = OfChecker("private_key_pem"),
});
NewPayoutBatch batch = new()
{
    Reference = "SALARIES-15", AccountNo = accountNo, Currency = "KES", Channel = "mpesa",
    Items = [new() { Reference = "GUIDE-CSHARP-1", Phone = "254712345678", AmountMinor = 1000 }],
};
string newSecret = "whsec_2", oldSecret = "whsec_1";
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
WebApplication app = builder.Build();
app.Urls.Add("http://127.0.0.1:0");
`;

/** Delivers a webhook that is signed with the old secret, and one that is not signed. */
const deliver = `
await app.StartAsync();
using HttpClient http = new();
async Task<int> PostAsync(string signature, string now, string body)
{
    using HttpRequestMessage request = new(HttpMethod.Post, app.Urls.Single() + "/webhooks");
    request.Content = new StringContent(body);
    request.Headers.Add("PesaPost-Event-Id", "e-1");
    request.Headers.Add("PesaPost-Timestamp", now);
    request.Headers.Add("PesaPost-Signature", signature);
    return (int)(await http.SendAsync(request)).StatusCode;
}
string body = """{"id":"e-1","type":"collection.completed","data":{"reference":"INV-5001"}}""";
string now = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
byte[] code = System.Security.Cryptography.HMACSHA256.HashData(
    System.Text.Encoding.UTF8.GetBytes("whsec_1"), System.Text.Encoding.UTF8.GetBytes($"e-1.{now}.{body}"));
int genuine = await PostAsync("v4=" + Convert.ToHexStringLower(code), now, body);
Console.WriteLine($"{genuine} {await PostAsync("", now, body)}");
`;
