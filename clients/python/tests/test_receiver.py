"""Tests of the receiver, through a WSGI server of the standard library (SDK-18)."""

import hashlib
import hmac
import http.client
import logging
import sys
import threading
import time
import unittest
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.validate import validator

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from pesapost import webhook_app  # noqa: E402

BODY = b'{"id":"e-1","type":"collection.completed","data":{"amount_minor":100}}'


class Quiet(WSGIRequestHandler):
    def log_message(self, *_words):
        pass


def signed(body, secret=b"whsec_1"):
    now = str(int(time.time()))
    code = hmac.new(secret, b"e-1." + now.encode() + b"." + body, hashlib.sha256).hexdigest()
    names = ("PesaPost-Event-Id", "PesaPost-Timestamp", "PesaPost-Signature")
    return dict(zip(names, ("e-1", now, f"v4={code}")))


class Receiver(unittest.TestCase):
    def setUp(self):
        self.events, self.refused = [], []
        app = webhook_app(["whsec_2", "whsec_1"], self.handle, on_refused=self.refused.append)
        self.server = make_server("127.0.0.1", 0, validator(app), handler_class=Quiet)
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)

    def handle(self, event):
        if event["data"]["amount_minor"] == 500:
            raise RuntimeError("no database")
        self.events.append(event)

    def post(self, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        self.addCleanup(connection.close)
        connection.request("POST", "/webhooks", body, headers)
        return connection.getresponse().status

    def test_answers_204_once_the_event_was_handled(self):
        self.assertEqual(204, self.post(BODY, signed(BODY)))
        self.assertEqual(["e-1"], [event["id"] for event in self.events])

    def test_answers_400_to_what_is_not_genuine(self):
        self.assertEqual(400, self.post(BODY, signed(BODY, b"whsec_3")))
        self.assertEqual(400, self.post(BODY, {}))
        codes = [error.code for error in self.refused]
        self.assertEqual((["no_matching_signature", "missing_header"], []), (codes, self.events))

    def test_answers_413_to_a_body_over_64_kib(self):
        # The server answers by the length alone, so no body has to follow.
        headers = {**signed(BODY), "Content-Length": str(64 * 1024 + 1)}
        self.assertEqual(413, self.post(None, headers))

    def test_answers_500_if_the_event_could_not_be_handled(self):
        logging.getLogger("pesapost").disabled = True
        body = BODY.replace(b"100", b"500")
        self.assertEqual(500, self.post(body, signed(body)))


if __name__ == "__main__":
    unittest.main()
