"""Options in the form that the rest of the client reads."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from typing import Callable, Optional
from urllib.parse import urlsplit

from ._http import Origin
from ._retry import RetryPolicy
from ._signing import SigningKey

THIS_MACHINE = re.compile(r"localhost|127(\.[0-9]{1,3}){3}|::1")


@dataclass(frozen=True)
class Settings:
    """Options that were checked once."""

    origin: Origin
    client_id: str
    client_secret: str
    signing_key: SigningKey
    now: Callable[[], float]
    timeout: float
    retries: RetryPolicy

    def __repr__(self) -> str:
        """Name no secret, because a debugger or an error tracker shows this."""
        return f"Settings({self.origin.host})"


def read_origin(
    base_url: str, allow_http: bool, ssl_context: Optional[ssl.SSLContext]
) -> Origin:
    """Read scheme and host. The signature covers the path, so a base must not have its own.

    Raises ValueError.
    """
    try:
        url = urlsplit(base_url)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise ValueError("base_url is no URL; it looks like https://api.example.com") from error
    if not host or url.scheme not in ("http", "https"):
        raise ValueError("base_url is no URL; it looks like https://api.example.com")
    if url.path not in ("", "/") or url.query or url.fragment or url.username is not None:
        raise ValueError("base_url is scheme and host alone; the client adds /api/v4 itself")
    if url.scheme == "https":
        return Origin(host, port, ssl_context or ssl.create_default_context())
    if not allow_http and not THIS_MACHINE.fullmatch(host):
        raise ValueError("base_url must be https, because secrets travel in it; or set allow_http")
    return Origin(host, port, None)


def positive_seconds(name: str, seconds: float) -> float:
    """Check a time. Raises ValueError."""
    # Written so that NaN is refused; a longer time is more than a lock can wait.
    if not 0 < seconds <= 2_147_483:
        raise ValueError(f"{name} must be seconds above 0, and at most 2147483")
    return seconds


def not_empty(name: str, text: str) -> str:
    """Check an option. Raises ValueError."""
    if not isinstance(text, str) or text == "":
        raise ValueError(f"{name} is missing")
    return text
