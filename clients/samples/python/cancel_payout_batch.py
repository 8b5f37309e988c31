from client import client

# sample
cancelled = client.payout_batches.cancel("salaries-2026-11")
print(cancelled["status"])
