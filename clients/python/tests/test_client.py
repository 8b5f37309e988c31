"""Tests of the points that only the Python client has; the conformance suite has the others."""

import pickle
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from cryptography.hazmat.primitives.asymmetric import ec, rsa  # noqa: E402
from cryptography.hazmat.primitives.serialization import (  # noqa: E402
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from pesapost import PesaPost, PesaPostError, RetryPolicy  # noqa: E402
from pesapost._http import HttpRequest, exchange  # noqa: E402
from pesapost._json import parse_json, to_json  # noqa: E402
from pesapost.errors import DifferentItemError, Failure, error_of  # noqa: E402
from pesapost.webhooks import WebhookVerificationError, verify_webhook  # noqa: E402

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem_of(key, form=PrivateFormat.PKCS8, encryption=NoEncryption()):
    return key.private_bytes(Encoding.PEM, form, encryption).decode("ascii")


def client_of(private_key, **options):
    words = {"base_url": "http://127.0.0.1:1", "client_id": "id-1", "client_secret": "secret-1"}
    return PesaPost(**{**words, "private_key": private_key, **options})


class Keys(unittest.TestCase):
    def test_accepts_pkcs8_pkcs1_and_line_feeds_of_environment_variables(self):
        pkcs8 = pem_of(KEY)
        pkcs1 = pem_of(KEY, PrivateFormat.TraditionalOpenSSL)
        for pem in (pkcs8, pkcs1, pkcs8.replace("\n", "\\n")):
            client_of(pem)

    def test_refuses_other_keys_by_their_fault(self):
        small = rsa.generate_private_key(public_exponent=65537, key_size=1024)
        encrypted = pem_of(KEY, encryption=BestAvailableEncryption(b"password"))
        for fault, pem in (
            ("2048 bits", pem_of(small)),
            ("not an RSA key", pem_of(ec.generate_private_key(ec.SECP256R1()))),
            ("encrypted", encrypted),
            ("no private key", "-----BEGIN"),
        ):
            with self.assertRaisesRegex(ValueError, fault):
                client_of(pem)


class Options(unittest.TestCase):
    def test_refuses_options_that_cannot_work(self):
        pem = pem_of(KEY)
        for option in ({"client_id": ""}, {"timeout": 0}, {"timeout": float("nan")}):
            with self.assertRaises(ValueError):
                client_of(pem, **option)
        for policy in ({"max_retries": 21}, {"max_retries": True}, {"base_delay": -1}):
            with self.assertRaises(ValueError):
                RetryPolicy(**policy)

    def test_shows_no_secret_when_settings_are_printed(self):
        client = client_of(pem_of(KEY))
        settings = client.collections._connection._settings
        self.assertNotIn("secret-1", repr(settings))
        self.assertNotIn("secret-1", repr(vars(client.collections._connection)))


class Errors(unittest.TestCase):
    def test_can_be_pickled(self):
        failure = Failure(
            "different_collection", "refused", differs=("phone",), cause=OSError("no")
        )
        error = pickle.loads(pickle.dumps(error_of(failure, "POST /x", 2, "key-1")))
        self.assertIsInstance(error, DifferentItemError)
        self.assertEqual(("phone",), error.differs)
        self.assertEqual((2, "key-1"), (error.attempts, error.idempotency_key))

    def test_name_the_cause_of_a_broken_connection(self):
        client = client_of(pem_of(KEY), retries=RetryPolicy(max_retries=0))
        with self.assertRaises(PesaPostError) as raised:
            client.collections.get("INV-1")
        self.assertEqual("network_failure", raised.exception.code)
        self.assertIsInstance(raised.exception.__cause__, OSError)


class SlowConnection:
    """A connection that opens only after the deadline."""

    sock = None

    def __init__(self):
        self.may_open = threading.Event()
        self.has_ended = threading.Event()
        self.sent = []

    def connection(self, _timeout):
        return self

    def connect(self):
        self.may_open.wait()

    def request(self, *words):
        self.sent.append(words)

    def close(self):
        self.has_ended.set()


class Deadlines(unittest.TestCase):
    def test_send_nothing_after_the_try_was_given_up(self):
        slow = SlowConnection()
        failure = exchange(slow, HttpRequest("POST", "/", {}, b"{}"), 0.01)
        self.assertEqual("timeout", failure.code)
        slow.may_open.set()
        self.assertTrue(slow.has_ended.wait(60))
        self.assertEqual([], slow.sent)


class Json(unittest.TestCase):
    def test_never_makes_a_float(self):
        parsed = parse_json('{"rate":1.10,"huge":1e400,"amount_minor":1.5}')
        self.assertNotIn(float, {type(value) for value in parsed.values()})
        self.assertEqual("1.10", str(parsed["rate"]))

    def test_refuses_json_that_is_nested_too_deeply(self):
        with self.assertRaises(ValueError):
            parse_json("[" * 100_000)

    def test_sends_no_float_in_any_member(self):
        for body in ({"amount_minor": 250.0}, {"items": [{"count": 1.0}]}):
            with self.assertRaises(TypeError):
                to_json(body)


class Webhooks(unittest.TestCase):
    def test_reads_headers_as_pairs_of_bytes(self):
        pairs = [
            (b"pesapost-event-id", b"e-1"),
            (b"pesapost-timestamp", b"1"),
            (b"pesapost-signature", b"v4=" + b"0" * 64),
        ]
        with self.assertRaises(WebhookVerificationError) as raised:
            verify_webhook(b"{}", pairs, "whsec_1", now=1)
        self.assertEqual("no_matching_signature", raised.exception.code)

    def test_refuses_a_header_that_appears_twice(self):
        pairs = [("PesaPost-Event-Id", "e-1"), ("pesapost-event-id", "e-2")]
        with self.assertRaises(WebhookVerificationError) as raised:
            verify_webhook(b"{}", pairs, "whsec_1")
        self.assertEqual("missing_header", raised.exception.code)

    def test_refuses_a_body_that_was_parsed(self):
        with self.assertRaises(WebhookVerificationError) as raised:
            verify_webhook({"id": "e-1"}, {}, "whsec_1")
        self.assertEqual("payload_not_raw", raised.exception.code)


if __name__ == "__main__":
    unittest.main()
