def save(_id, event_type, data):
    print(event_type, data["reference"], flush=True)


# sample
import os
from wsgiref.simple_server import make_server

from pesapost import webhook_app

# A WSGI application. It calls back once the signature has been verified.
app = webhook_app(
    os.environ["WEBHOOK_SECRET"],
    lambda event: save(event["id"], event["type"], event["data"]),
)
make_server("", int(os.environ["PORT"]), app).serve_forever()
