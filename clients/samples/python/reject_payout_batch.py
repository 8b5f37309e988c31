from client import client

# sample
# The client of another holder.
repeat = {"count": 240, "amount_minor": 6_000_000}
rejected = client.payout_batches.reject("salaries-2026-11", repeat)
print(rejected["status"])  # rejected
