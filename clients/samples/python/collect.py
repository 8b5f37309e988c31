import os
import uuid

from client import client

# sample
created = client.collections.create(
    {
        "account_no": os.environ["ACCOUNT_NO"],
        "phone": "254712345678",
        "amount_minor": 25_000,  # KES 250.00
        "currency": "KES",
        "channel": "mpesa",
        "reference": f"INV-{uuid.uuid4()}",
    }
)
print(created["status"])  # pending

# Waits for up to 120 s.
settled = client.collections.wait_until_settled(created["reference"])
print(settled["status"], settled["amount_minor"])
