import os
import uuid

from checker import checker
from client import client

# sample
payout = {
    "account_no": os.environ["ACCOUNT_NO"],
    "phone": "254712345678",
    "amount_minor": 1_000,
    "currency": "KES",
    "channel": "mpesa",
    "reference": f"PAY-{uuid.uuid4()}",
}
asked = client.payouts.request(payout)
print(asked["status"])  # pending_approval

# Another holder approves it, with a credential of their own.
approved = checker.payouts.approve(
    payout["reference"],
    {"phone": payout["phone"], "amount_minor": payout["amount_minor"]},
)
print(approved["status"])  # pending
