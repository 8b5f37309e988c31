package com.pesapost;

/** The merchant's accounts. */
public final class AccountService {
    private final Connection connection;

    AccountService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Returns an account's balance as of one position of the ledger.
     *
     * @param accountNo the account
     * @param options a position
     * @return the balance
     * @throws PesaPostException if the call failed
     */
    public Balance balance(String accountNo, ReadOption... options) {
        String path = "/api/v4/accounts/" + Query.encode(accountNo) + "/balance";
        return connection.send(ApiCall.get(path, options), Balance::of);
    }
}
