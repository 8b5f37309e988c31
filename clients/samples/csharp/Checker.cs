namespace PesaPost.Samples;

internal static class Checker
{
    public static PesaPostClient Make() => new(new()
    {
        BaseUrl = Environment.GetEnvironmentVariable("BASE_URL")!,
        ClientId = Environment.GetEnvironmentVariable("CHECKER_ID")!,
        ClientSecret = Environment.GetEnvironmentVariable("CHECKER_SECRET")!,
        PrivateKey = File.ReadAllText("checker.key"),
    });
}
