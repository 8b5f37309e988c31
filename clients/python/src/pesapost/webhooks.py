"""Verifies webhooks (SDK-17)."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._json import parse_json
from .types import Event

DEFAULT_TOLERANCE_SECONDS = 300
#: A rotation has two. A sender with more only makes us work.
MAX_SIGNATURES = 8

MESSAGES: Mapping[str, str] = {
    "payload_not_raw": (
        "payload must be the raw body, bytes or str; JSON that was parsed cannot be verified"
    ),
    "missing_header": (
        "a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each "
        "once; is this request from PesaPost, and does a proxy keep its headers?"
    ),
    "malformed_timestamp": "PesaPost-Timestamp is not Unix seconds in decimal digits",
    "malformed_signature": (
        "PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>"
    ),
    "no_matching_signature": (
        "no signature is that of this body under these secrets; pass the raw bytes of the body, "
        "and the secret of this endpoint and mode"
    ),
    "timestamp_out_of_tolerance": (
        "the webhook is genuine but not of now: it is a replay, or one of the two clocks is wrong"
    ),
    "malformed_payload": "the webhook is genuine but its body is no webhook event",
}

Headers = Union[Mapping[str, str], Iterable[Tuple[Union[str, bytes], Union[str, bytes]]]]


class WebhookVerificationError(Exception):
    """The request is not a valid webhook. Answer 400, and do nothing with its content."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

    def __str__(self) -> str:
        return MESSAGES[self.code]


def verify_webhook(
    payload: Union[bytes, str],
    headers: Headers,
    secrets: Union[str, Sequence[str]],
    *,
    now: Optional[float] = None,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
) -> Event:
    """Verify that a request is PesaPost's webhook, unchanged and recent, and return its event.

    - ``payload``: the body's raw bytes, or their text; never JSON that was parsed and written again
    - ``headers``: a mapping, or pairs of name and value as in ASGI
    - ``secrets``: the endpoint's secret; during a rotation, the new one and the old one
    - ``now``: Unix time in seconds; the current time if omitted
    - ``tolerance_seconds``: how far the timestamp may be from now, in either direction

    Raises WebhookVerificationError; ValueError if there is no secret to verify with.
    """
    body = _raw_body(payload)
    fields = _text_fields(headers)
    event_id = _header(fields, "pesapost-event-id")
    timestamp = _header(fields, "pesapost-timestamp")
    signatures = _signatures(_header(fields, "pesapost-signature"))
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("malformed_timestamp")
    signed = f"{event_id}.{timestamp}.".encode("utf-8") + body
    if not _any_matches(_secrets(secrets), signatures, signed):
        raise WebhookVerificationError("no_matching_signature")
    age = (time.time() if now is None else now) - int(timestamp)
    # Written so that a tolerance or a clock that is NaN refuses.
    if not abs(age) <= tolerance_seconds:
        raise WebhookVerificationError("timestamp_out_of_tolerance")
    return _event(body)


def _raw_body(payload: object) -> bytes:
    if isinstance(payload, str):
        return payload.encode("utf-8", "surrogatepass")
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise WebhookVerificationError("payload_not_raw")


def _text_fields(headers: Headers) -> List[Tuple[str, str]]:
    # The headers of some frameworks have items() and are no Mapping.
    pairs: Any = headers.items() if hasattr(headers, "items") else headers
    return [(_text(name).lower(), _text(value)) for name, value in pairs]


def _text(value: Union[str, bytes]) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _header(fields: List[Tuple[str, str]], name: str) -> str:
    """Return the header. One that is absent, empty or present twice is refused."""
    values = [value for each, value in fields if each == name]
    if len(values) != 1 or not isinstance(values[0], str) or values[0] == "":
        raise WebhookVerificationError("missing_header")
    return values[0]


def _signatures(text: str) -> List[str]:
    parts = [part.strip() for part in text.split(",")[:MAX_SIGNATURES]]
    signatures = [part[3:] for part in parts if re.fullmatch(r"v4=[0-9a-f]{64}", part)]
    if not signatures:
        raise WebhookVerificationError("malformed_signature")
    return signatures


def _secrets(given: Union[str, Sequence[str]]) -> List[bytes]:
    secrets = [given] if isinstance(given, str) else list(given)
    if not secrets or "" in secrets:
        raise ValueError("secrets must hold the webhook secret; an empty one would verify anything")
    return [secret.encode("utf-8") for secret in secrets]


def _any_matches(secrets: List[bytes], signatures: List[str], signed: bytes) -> bool:
    """Try every secret on every signature, so that the time does not reveal which one matched."""
    matches = False
    for secret in secrets:
        expected = hmac.new(secret, signed, hashlib.sha256).hexdigest()
        for signature in signatures:
            if hmac.compare_digest(expected, signature):
                matches = True
    return matches


def _event(body: bytes) -> Event:
    try:
        event = parse_json(body.decode("utf-8"))
    except ValueError:
        event = None
    is_event = (
        isinstance(event, dict)
        and isinstance(event.get("id"), str)
        and isinstance(event.get("type"), str)
        and isinstance(event.get("data"), dict)
    )
    if not is_event:
        raise WebhookVerificationError("malformed_payload")
    return cast(Event, event)
