from client import client

# sample
asked = client.payouts.request(
    {
        "account_no": "10000001",
        "phone": "254712345678",
        "amount_minor": 25_000,
        "currency": "KES",
        "channel": "mpesa",
        "reference": "PAY-1001",
    }
)
print(asked["status"])  # pending_approval
