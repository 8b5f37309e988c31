from client import client

# sample
item = client.payouts.get("PAY-1001")
print(item["status"], item["failure_code"])
