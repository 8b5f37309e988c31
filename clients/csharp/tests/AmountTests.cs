using System.Numerics;
using System.Text;
using System.Text.Json;

namespace PesaPost.Tests;

public static class AmountTests
{
    private static readonly Amount Huge = Amount.FromMinor(BigInteger.Pow(2, 100));

    public static void AnAmountIsExactAtAnySize()
    {
        foreach (Amount amount in (Amount[])[default, 25_000, long.MinValue, Huge])
        {
            Check.Equal(amount, Amount.FromJson(JsonElement.Parse(PesaPostJson.Write(amount))));
        }
        Check.Equal("1267650600228229401496703205377", (Huge + 1).ToString());
        Check.Equal(true, Huge > 1 && -Huge < 1 && Huge - Huge == 0 && Huge >= 1 && -Huge <= 1);
    }

    public static void AnAmountBeyondALongFailsInsteadOfBeingCut()
    {
        Check.Equal(long.MaxValue, (long)(Amount)long.MaxValue);
        Check.Throws<OverflowException>(() => (long)((Amount)long.MaxValue + 1));
        Check.Throws<OverflowException>(() => Huge.ToMajor());
    }

    public static void ADecimalAmountIsExactOrRefused()
    {
        Check.Equal(25_000, Amount.FromMajor(250.00m));
        Check.Equal(-1, Amount.FromMajor(-0.0100m));
        Check.Equal(250, Amount.FromMajor(250m, decimals: 0));
        Check.Equal(Amount.FromMinor(new BigInteger(decimal.MaxValue) * 100), Amount.FromMajor(decimal.MaxValue));
        Check.Throws<ArgumentException>(() => Amount.FromMajor(0.001m));
        Check.Throws<ArgumentException>(() => Amount.FromMajor(250.5m, decimals: 0));
        Check.Equal("250.00", $"{((Amount)25_000).ToMajor()}");
        Check.Equal(-0.01m, ((Amount)(-1)).ToMajor());
    }

    public static void NoFloatingPointNumberBecomesAnAmount()
    {
        Type[] floating = [typeof(double), typeof(float), typeof(Half), typeof(decimal)];
        IEnumerable<Type> accepted = typeof(Amount).GetMethods().SelectMany(each => each.GetParameters())
            .Where(each => each.Member.Name.StartsWith("op_", StringComparison.Ordinal))
            .Select(each => each.ParameterType);
        Check.Equal(0, accepted.Intersect(floating).Count());
    }

    public static void AnythingButAnIntegerIsNoAmount()
    {
        string[] others = ["250.5", "1e3", "null", "true", "\"KES 250\"", "\"\"", "\"01\"", "\"1\\n\"", "{}"];
        foreach (string text in others)
        {
            Check.Throws<JsonException>(() => Amount.FromJson(JsonElement.Parse(text)));
        }
        Check.Equal(0, Amount.FromJson(JsonElement.Parse("-0")));
        Check.Equal(25_000, Amount.FromJson(JsonElement.Parse("\"25000\"")));
    }

    public static void AMemberWithoutAPropertyKeepsEveryDigit()
    {
        Transaction read = PesaPostJson.Read<Transaction>(
            JsonElement.Parse("""{"rate":1.10,"tip_minor":123456789012345678901}"""));
        Check.Equal("1.10", read.Json.GetProperty("rate").GetRawText());
        Check.Equal(1.10m, read.Json.GetProperty("rate").GetDecimal());
        Check.Equal("123456789012345678901", Amount.FromJson(read.Json.GetProperty("tip_minor")).ToString());
    }

    public static void AnAnswerCanBeWrittenAsJson()
    {
        TransactionsPage page = new() { Data = [new() { Reference = "INV-1", AmountMinor = Huge }] };
        Check.Contains($"\"amount_minor\":{Huge}", Encoding.UTF8.GetString(PesaPostJson.Write(page)));
    }

    public static void AnswersAreEqualIfTheirPropertiesAre()
    {
        Transaction read = PesaPostJson.Read<Transaction>(
            JsonElement.Parse("""{"status":"pending","amount_minor":1}"""));
        Check.Equal(new Transaction { Status = "pending", AmountMinor = 1 }, read);
        Check.Equal(new Transaction(), PesaPostJson.Read<Transaction>(JsonElement.Parse("{}")));
        Check.Equal(false, read == read with { AmountMinor = 2 });
        Check.Contains("Transaction { Type = , Reference = , Status = pending", read.ToString());
    }
}
