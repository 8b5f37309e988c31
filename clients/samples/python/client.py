# sample
import os
from pathlib import Path

from pesapost import PesaPost

# It gets the token, keeps it and renews it.
client = PesaPost(
    base_url=os.environ["BASE_URL"],
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    private_key=Path("merchant.key").read_text(),
)
