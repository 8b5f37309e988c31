from client import client

# sample
# The client of another holder.
repeat = {"count": 240, "amount_minor": 6_000_000}
approved = client.payout_batches.approve("salaries-2026-11", repeat)
print(approved["status"])  # pending
