from client import client

# sample
item = client.collections.get("INV-1001")
print(item["status"], item["failure_code"])
