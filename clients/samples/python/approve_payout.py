from client import client

# sample
# The client of another holder.
repeat = {"phone": "254712345678", "amount_minor": 25_000}
approved = client.payouts.approve("PAY-1001", repeat)
print(approved["status"])  # pending
