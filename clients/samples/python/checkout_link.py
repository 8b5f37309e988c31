# sample
import hashlib
import hmac
import os
import time
import uuid
from urllib.parse import quote, urlencode

link = {
    "account_no": os.environ["ACCOUNT_NO"],
    "amount_minor": 25_000,  # KES 250.00
    "currency": "KES",
    "reference": f"ORDER-{uuid.uuid4()}",
    "return_url": "https://shop.example/paid",
    "key_id": os.environ["CHECKOUT_KEY_ID"],
    "nonce": uuid.uuid4().hex,
    "timestamp": int(time.time()),
}
query = urlencode(sorted(link.items()), quote_via=quote, safe="")
secret = os.environ["CHECKOUT_SECRET"].encode()
code = hmac.new(secret, query.encode(), hashlib.sha256).hexdigest()
print(f"{os.environ['BASE_URL']}/checkout?{query}&hash={code}")
