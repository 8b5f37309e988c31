// Runs the tests of the points that only the C# client has; the conformance suite has the others. A test is a public
// method of a class whose name ends in Tests. No test framework is needed, so a build fetches no package.
using System.Reflection;

int passed = 0;
List<string> failed = [];
IEnumerable<MethodInfo> tests = Assembly.GetExecutingAssembly().GetTypes()
    .Where(type => type.Name.EndsWith("Tests", StringComparison.Ordinal))
    .SelectMany(type => type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly));
foreach (MethodInfo test in tests)
{
    try
    {
        if (test.Invoke(null, []) is Task running)
        {
            await running.WaitAsync(TimeSpan.FromMinutes(2));
        }
        passed++;
    }
    catch (Exception error)
    {
        failed.Add(test.Name);
        Console.WriteLine($"{test.DeclaringType?.Name}.{test.Name}: {error}");
    }
}
Console.WriteLine($"{passed} passed, {failed.Count} failed");
return failed.Count == 0 && passed > 0 ? 0 : 1;
