from client import client

# sample
batch = client.payout_batches.get("salaries-2026-11")
print(batch["by_status"]["completed"]["count"])
