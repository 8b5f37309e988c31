from client import client

# sample
refund = {
    "phone": "254712345678",
    "amount_minor": 25_000,
    "reference": "REFUND-1001",
}
asked = client.collections.refund("INV-1001", refund)
print(asked["status"])  # pending_approval: another holder approves it
