from client import client

# sample
receipt = client.collections.receipt("INV-1001")
# Store it unchanged.
print(len(receipt["postings"]))
