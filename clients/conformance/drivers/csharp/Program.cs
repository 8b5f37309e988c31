// Runs the conformance suite's requests with the C# client (clients/conformance/README.md).
using System.Text.Json;
using System.Text.Json.Nodes;
using PesaPost;
using PesaPost.Driver;

Lock output = new();

// Tests compare the codes with those of the other clients.
if (args is ["error-kinds"])
{
    Write(new JsonObject(ErrorCodes.Kinds.Select(each =>
        KeyValuePair.Create<string, JsonNode?>(each.Key, Digits.NameOf(each.Value)))));
    return;
}
while (await Console.In.ReadLineAsync() is { } line)
{
    _ = Task.Run(() => AnswerAsync(line));
}

async Task AnswerAsync(string line)
{
    JsonElement request = JsonElement.Parse(line);
    JsonObject answer = new() { ["id"] = request.GetProperty("id").GetInt32() };
    try
    {
        object? result = await Operations.RunAsync(request.GetProperty("op").GetString()!, request.GetProperty("args"));
        answer["ok"] = Digits.Of(result);
    }
    catch (Exception error)
    {
        answer["error"] = Failures.FactsOf(error);
    }
    Write(answer);
}

void Write(JsonObject value)
{
    lock (output)
    {
        Console.Out.WriteLine(value.ToJsonString());
    }
}
