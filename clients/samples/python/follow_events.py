import os
from pathlib import Path
from threading import Lock
from wsgiref.simple_server import make_server

from client import client
from pesapost import webhook_app


def handle(event):
    print(event["sequence"], event["type"], event["data"]["reference"], flush=True)


# sample
# In your service: a row that is written with the work.
file = Path("last-sequence.txt")
one_at_a_time = Lock()


def catch_up(webhook):
    """A webhook only says that there are events. The feed has them all."""
    with one_at_a_time:
        last = int(file.read_text()) if file.exists() else 0
        for event in client.events.all(last):
            handle(event)
            last = event["sequence"]
            file.write_text(str(last))
        # The feed may be a moment behind. After a 500, the webhook is sent again.
        if last < webhook["sequence"]:
            raise RuntimeError("the feed is behind")


app = webhook_app(os.environ["WEBHOOK_SECRET"], catch_up)
make_server("", int(os.environ["PORT"]), app).serve_forever()
