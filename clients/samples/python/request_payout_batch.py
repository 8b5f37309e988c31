from client import client

# sample
batch = client.payout_batches.create(
    {
        "reference": "salaries-2026-11",
        "account_no": "10000001",
        "currency": "KES",
        "channel": "mpesa",
        "items": [
            {
                "reference": "salary-7",
                "phone": "254712345678",
                "amount_minor": 25_000,
            }
        ],
    }
)
print(batch["status"])  # pending_approval
