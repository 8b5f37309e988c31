from client import client

order = {
    "account_no": "10000001",
    "phone": "0712345678",
    "amount_minor": 25_000,
    "currency": "KES",
    "channel": "mpesa",
    "reference": "INV-1001",
}

# sample
from pesapost import PesaPostError

try:
    client.collections.create(order)
except PesaPostError as error:
    if error.kind == "request":
        print(error.detail)
    elif error.code == "rail_rejected":
        print("no push")
    else:
        print("repeat with", error.idempotency_key)
