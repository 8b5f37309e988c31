from client import client

order = {
    "account_no": "10000001",
    "phone": "254712345678",
    "amount_minor": 25_000,
    "currency": "KES",
    "channel": "mpesa",
    "reference": "INV-1001",
}
stored_key = "order-1001"

# sample
# The client repeats the call by itself. Give it the key
# if another process may have to do so later.
created = client.collections.create(
    order, idempotency_key=stored_key
)
print(created["replayed"])
