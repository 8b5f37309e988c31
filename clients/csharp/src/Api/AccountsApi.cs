using PesaPost.Signing;

namespace PesaPost;

/// <summary>The merchant's accounts.</summary>
public sealed class AccountsApi
{
    private readonly Connection _connection;

    internal AccountsApi(Connection connection) => _connection = connection;

    /// <summary>Returns an account's balance: at least as new as one position, or as of another.</summary>
    /// <exception cref="PesaPostException">The call failed, with not_found if it is not your account.</exception>
    public Task<Balance> GetBalanceAsync(
        string accountNo,
        string? minPosition = null,
        string? atPosition = null,
        CancellationToken cancellationToken = default) =>
        _connection.GetAsync<Balance>(
            new("GET", $"/api/v4/accounts/{Query.EncodePart(accountNo)}/balance")
            {
                MinPosition = minPosition,
                AtPosition = atPosition,
            },
            cancellationToken);
}
