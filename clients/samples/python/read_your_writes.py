from client import client

# sample
page = client.transactions.list()
balance = client.accounts.balance(
    "10000001", min_position=page["ledger_position"]
)
print(balance["available_minor"])
