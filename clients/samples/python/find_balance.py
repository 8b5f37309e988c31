from client import client

# sample
balance = client.accounts.balance("10000001")
print(balance["available_minor"])  # an int
