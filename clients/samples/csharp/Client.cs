// The program: it runs the sample whose file is its argument, such as CreateCollection.cs.
// sample
using PesaPost;

// It gets the token, keeps it and renews it.
using PesaPostClient client = new(new()
{
    BaseUrl = Environment.GetEnvironmentVariable("BASE_URL")!,
    ClientId = Environment.GetEnvironmentVariable("CLIENT_ID")!,
    ClientSecret =
        Environment.GetEnvironmentVariable("CLIENT_SECRET")!,
    PrivateKey = File.ReadAllText("merchant.key"),
});
// end
string name = Path.GetFileNameWithoutExtension(args[0]);
Type sample = Type.GetType($"PesaPost.Samples.{name}", throwOnError: true)!;
await (Task)sample.GetMethod("RunAsync")!.Invoke(null, [client])!;
