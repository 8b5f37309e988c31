"""The bearer token (SDK-8)."""

from __future__ import annotations

import base64
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from threading import Lock
from typing import Optional, Union

from ._answer import read_answer, unexpected
from ._http import HttpRequest, exchange, in_thread
from ._settings import Settings
from .errors import Failure

TOKEN_PATH = "/api/v4/oauth/token"
#: How long before its end a token is renewed, or a tenth of its life if that is less.
RENEW_AHEAD_SECONDS = 60


@dataclass(frozen=True)
class Token:
    """A token, and the time from which it is renewed."""

    text: str = field(repr=False)
    renew_at: float


class TokenSource:
    """Fetches a token when it is first needed, by one request for all threads that wait."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._held: Optional[Token] = None
        self._under_way: Optional[Future[Union[Token, Failure]]] = None

    def current(self, timeout: float) -> Union[Token, Failure]:
        """Return the token. If time is up first, its request continues for the other threads."""
        with self._lock:
            if self._held is not None and self._settings.now() < self._held.renew_at:
                return self._held
            if self._under_way is None:
                self._under_way = in_thread(self._renewed)
            under_way = self._under_way
        try:
            return under_way.result(timeout)
        except FutureTimeoutError:
            return Failure("timeout", "timeout", timeout=timeout)

    def forget(self, token: Token) -> None:
        """Drop a token that the service refused. A newer token is kept."""
        with self._lock:
            if self._held is token:
                self._held = None

    def _renewed(self) -> Union[Token, Failure]:
        fetched: Union[Token, Failure, None] = None
        try:
            fetched = self._fetch()
            return fetched
        finally:
            with self._lock:
                self._under_way = None
                if isinstance(fetched, Token):
                    self._held = fetched

    def _fetch(self) -> Union[Token, Failure]:
        """OAuth 2.0 client credentials (RFC 6749, section 4.4)."""
        settings = self._settings
        basic = f"{settings.client_id}:{settings.client_secret}".encode("utf-8")
        headers = {
            "Accept": "application/json",
            "Authorization": f"Basic {base64.b64encode(basic).decode('ascii')}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        request = HttpRequest("POST", TOKEN_PATH, headers, b"grant_type=client_credentials")
        raw = exchange(settings.origin, request, settings.timeout)
        if isinstance(raw, Failure):
            return raw
        answer = read_answer(raw, settings.now())
        if isinstance(answer, Failure):
            return answer
        text, life = answer.body.get("access_token"), answer.body.get("expires_in")
        if not isinstance(text, str) or not isinstance(life, int):
            return unexpected(raw)
        return Token(text, settings.now() + life - min(RENEW_AHEAD_SECONDS, life / 10))
