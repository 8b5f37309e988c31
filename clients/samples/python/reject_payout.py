from client import client

# sample
# The client of another holder.
repeat = {"phone": "254712345678", "amount_minor": 25_000}
rejected = client.payouts.reject("PAY-1001", repeat)
print(rejected["status"])  # rejected
