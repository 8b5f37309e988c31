from client import client

# sample
filters = {
    "status": "completed",
    "from": "2026-01-01",
    "to": "2026-01-31",
}
# Page after page, newest first.
for item in client.transactions.all(filters):
    print(item["reference"], item["amount_minor"])
