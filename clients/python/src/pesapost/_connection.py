"""Sends calls: token, signature, retries."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from ._answer import Answer, read_answer, unless_different
from ._http import HttpRequest, exchange
from ._json import to_json
from ._retry import retry_delay
from ._settings import Settings
from ._signing import RequestToSign, encode_query, string_to_sign
from ._tokens import Token, TokenSource
from .errors import Failure, error_of

IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True)
class ApiCall:
    """A call of the API, before it is signed."""

    method: str
    #: Percent-encoded.
    path: str
    query: Tuple[Tuple[str, str], ...] = ()
    body: Optional[bytes] = None
    idempotency_key: Optional[str] = None
    min_position: Optional[str] = None
    at_position: Optional[str] = None
    #: The time by time.monotonic() at which the last try must have ended.
    until: float = float("inf")


class Connection:
    """Sends calls of one credential. Any number of threads may use it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tokens = TokenSource(settings)

    def post(self, path: str, body: Any, idempotency_key: Optional[str]) -> Answer:
        """Send a POST under one key, however often it is sent (SDK-4).

        Raises PesaPostError; TypeError or ValueError for an amount or a key that cannot be sent.
        """
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not IDEMPOTENCY_KEY.fullmatch(key):
            raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
        return self.send(ApiCall("POST", path, body=to_json(body), idempotency_key=key))

    def send(self, call: ApiCall) -> Answer:
        """Send the call until it succeeds or no retry is left (SDK-1). Raises PesaPostError.

        Every try has the same key and the same bytes, with a new nonce and a new timestamp.
        """
        attempts = 0
        is_renewed = False
        while True:
            attempts += 1
            answer, token = self._attempt(call)
            # A renewal is no retry (SDK-8).
            if token is not None and isinstance(answer, Failure) and answer.code == "invalid_token":
                self._tokens.forget(token)
                if not is_renewed:
                    is_renewed = True
                    attempts -= 1
                    continue
            if isinstance(answer, Answer):
                return answer
            delay = retry_delay(answer, attempts, self._settings.retries)
            if delay is None or time.monotonic() + delay >= call.until:
                name = f"{call.method} {call.path}"
                raise error_of(answer, name, attempts, call.idempotency_key)
            time.sleep(delay)

    def _attempt(self, call: ApiCall) -> Tuple[Union[Answer, Failure], Optional[Token]]:
        token = self._tokens.current(self._time_left(call))
        if isinstance(token, Failure):
            return token, None
        settings = self._settings
        raw = exchange(settings.origin, self._signed(call, token), self._time_left(call))
        if isinstance(raw, Failure):
            return raw, token
        return unless_different(call.path, read_answer(raw, settings.now())), token

    def _time_left(self, call: ApiCall) -> float:
        # A socket with a timeout of 0 would not wait at all.
        return max(0.001, min(self._settings.timeout, call.until - time.monotonic()))

    def _signed(self, call: ApiCall, token: Token) -> HttpRequest:
        query = encode_query(call.query)
        nonce, timestamp = str(uuid.uuid4()), str(int(self._settings.now()))
        text = string_to_sign(
            RequestToSign(call.method, call.path, query, call.body or b"", nonce, timestamp)
        )
        headers: Dict[str, Optional[str]] = {
            "Accept": "application/json",
            "Authorization": f"Bearer {token.text}",
            "X-PP-Signature": self._settings.signing_key.sign(text),
            "X-PP-Nonce": nonce,
            "X-PP-Timestamp": timestamp,
            "Content-Type": None if call.body is None else "application/json",
            "Idempotency-Key": call.idempotency_key,
            "X-PP-Min-Position": call.min_position,
            "X-PP-At-Position": call.at_position,
        }
        sent = {name: value for name, value in headers.items() if value is not None}
        target = f"{call.path}?{query}" if query else call.path
        return HttpRequest(call.method, target, sent, call.body)


def parameters_of(filters: Dict[str, Any]) -> Tuple[Tuple[str, str], ...]:
    """Return the filters that are set, as parameters of a query."""
    parameters: List[Tuple[str, str]] = []
    for name, value in filters.items():
        if value is not None:
            parameters.append((name, str(value)))
    return tuple(parameters)
