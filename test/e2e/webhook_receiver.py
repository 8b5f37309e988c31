"""A receiver of webhooks by docs/reference/webhooks.md alone, with nothing but Python's standard library.

python3 webhook_receiver.py SECRET_FILE: prints its port, takes webhooks by POST, and tells by GET what it took.
"""

import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

SECRET_FILE = sys.argv[1]
TOLERANCE_SECONDS = 300
MAX_BODY = 64 * 1024

lock = Lock()
bodies = {}  # by sequence, the bytes as they came
ids = {}  # id -> sequence: an id is handled once
repeats = 0
refused = []
samples = 0


def secrets():
    with open(SECRET_FILE, encoding="utf-8") as file:
        return [line.strip().encode("utf-8") for line in file if line.strip()]


def problem_of(headers, body):
    """Why it is not to be taken for a webhook; None where it is one (WEB-5, WEB-7)."""
    event_id = headers.get("PesaPost-Event-Id")
    timestamp = headers.get("PesaPost-Timestamp")
    signatures = headers.get("PesaPost-Signature")
    if not event_id or not timestamp or not signatures:
        return "a header is missing"
    if not (timestamp.isascii() and timestamp.isdigit()):
        return "the timestamp is malformed"
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "it is not of now"
    signed = event_id.encode() + b"." + timestamp.encode() + b"." + body
    given = [part.strip()[3:] for part in signatures.split(",") if part.strip().startswith("v4=")]
    for secret in secrets():
        expected = hmac.new(secret, signed, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(expected.encode(), one.encode()) for one in given):
            return None if json.loads(body)["id"] == event_id else "another id"
    return "no signature fits"


def take(body):
    global repeats, samples
    event = json.loads(body)
    sequence = event["sequence"]
    if sequence == 0:
        samples += 1
    elif event["id"] in ids:
        repeats += 1
        if bodies[sequence] != body:
            refused.append("a repeat has other bytes")
    else:
        if sequence in bodies:
            refused.append("two events have one sequence")
        ids[event["id"]] = sequence
        bodies[sequence] = body


def report():
    last = max(bodies, default=0)
    return {
        "bodies": [bodies[sequence].decode("utf-8") for sequence in sorted(bodies)],
        "gaps": [sequence for sequence in range(1, last) if sequence not in bodies],
        "repeats": repeats,
        "samples": samples,
        "refused": refused,
    }


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if length > MAX_BODY:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        with lock:
            problem = problem_of(self.headers, body)
            if problem is None:
                take(body)
            else:
                refused.append(problem)
        self.answer(204 if problem is None else 400)

    def do_GET(self):
        with lock:
            self.answer(200, json.dumps(report()).encode("utf-8"))

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()
