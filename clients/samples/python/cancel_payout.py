from client import client

# sample
cancelled = client.payouts.cancel("PAY-1001")
print(cancelled["status"])
