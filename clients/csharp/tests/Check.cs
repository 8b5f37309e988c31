using System.Runtime.CompilerServices;

namespace PesaPost.Tests;

internal static class Check
{
    public static void Equal<T>(T expected, T actual, [CallerArgumentExpression(nameof(actual))] string name = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
        {
            throw new InvalidOperationException($"{name} is {actual}, not {expected}");
        }
    }

    public static void Same<T>(
        IEnumerable<T> expected, IEnumerable<T> actual, [CallerArgumentExpression(nameof(actual))] string name = "") =>
        Equal(string.Join(' ', expected), string.Join(' ', actual), name);

    public static void Contains(string part, string text) =>
        Equal(true, text.Contains(part, StringComparison.Ordinal), $"a text with {part}: {text}");

    public static T Throws<T>(Func<object?> action)
        where T : Exception
    {
        try
        {
            _ = action();
        }
        catch (T expected)
        {
            return expected;
        }
        throw new InvalidOperationException($"no {typeof(T).Name}");
    }

    public static async Task<T> ThrowsAsync<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T expected)
        {
            return expected;
        }
        throw new InvalidOperationException($"no {typeof(T).Name}");
    }
}
