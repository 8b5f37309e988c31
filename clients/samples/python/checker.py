import os
from pathlib import Path

from pesapost import PesaPost

checker = PesaPost(
    base_url=os.environ["BASE_URL"],
    client_id=os.environ["CHECKER_ID"],
    client_secret=os.environ["CHECKER_SECRET"],
    private_key=Path("checker.key").read_text(),
)
