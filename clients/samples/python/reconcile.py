import os

from client import client

# sample
day = os.environ["DAY"]
count, amount, fees = 0, 0, 0
filters = {
    "type": "collection",
    "status": "completed",
    "date_field": "paid_at",  # the day of M-Pesa's statement
    "from": day,
    "to": day,
}
for item in client.transactions.all(filters):
    count += 1
    amount += item["amount_minor"]
    fees += item["fee_minor"]
print(f"{count} completed, amount {amount}, fees {fees}")
