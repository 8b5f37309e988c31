"""The signature of a request (AUTH-11 to AUTH-13)."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Iterable, NamedTuple, Tuple
from urllib.parse import quote, unquote_to_bytes

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

MIN_KEY_BITS = 2048
MAKE_NEW = "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem"


class RequestToSign(NamedTuple):
    """The parts that a signature covers."""

    method: str
    raw_path: str
    raw_query: str
    body: bytes
    nonce: str
    timestamp: str


def encode_part(text: str) -> str:
    """Percent-encode by RFC 3986: only unreserved characters are kept."""
    return quote(text, safe="")


def encode_query(parameters: Iterable[Tuple[str, str]]) -> str:
    """Return the one spelling that both ends sign: encoded, sorted and joined."""
    encoded = sorted((encode_part(name), encode_part(value)) for name, value in parameters)
    return "&".join(f"{name}={value}" for name, value in encoded)


def canonical_query(raw_query: str) -> str:
    """Return the canonical spelling of a query as sent (AUTH-12).

    Raises ValueError if it is malformed.
    """
    return encode_query(_parameter(segment) for segment in raw_query.split("&") if segment)


def _parameter(segment: str) -> Tuple[str, str]:
    if not re.fullmatch(r"[\x21-\x7e]*", segment):
        raise ValueError("a query contains a character that must be percent-encoded")
    if re.search(r"%(?![0-9A-Fa-f]{2})", segment):
        raise ValueError("a query contains a broken percent-encoding")
    name, _, value = segment.partition("=")
    return unquote_to_bytes(name).decode("utf-8"), unquote_to_bytes(value).decode("utf-8")


def string_to_sign(request: RequestToSign) -> str:
    """Return the six lines of AUTH-11."""
    return "\n".join(
        [
            request.method,
            request.raw_path,
            canonical_query(request.raw_query),
            hashlib.sha256(request.body).hexdigest(),
            request.nonce,
            request.timestamp,
        ]
    )


class SigningKey:
    """An RSA key of 2048 bits or more."""

    def __init__(self, pem: str) -> None:
        """Read a PEM; line feeds may be written as ``\\n``, as in environment variables.

        Raises ValueError, without any part of the key.
        """
        text = pem.replace("\\r", "").replace("\\n", "\n")
        try:
            key = load_pem_private_key(text.encode("utf-8"), password=None)
        except Exception as error:
            why = "is encrypted" if "ENCRYPTED" in text else "is no private key in PEM"
            raise ValueError(f"private_key {why}; make one with: {MAKE_NEW}") from error
        if not isinstance(key, rsa.RSAPrivateKey):
            raise ValueError(f"private_key is not an RSA key; make one with: {MAKE_NEW}")
        if key.key_size < MIN_KEY_BITS:
            raise ValueError(f"private_key has fewer than 2048 bits; make one with: {MAKE_NEW}")
        self._key = key

    def sign(self, text: str) -> str:
        """Return RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8, in standard base64."""
        signature = self._key.sign(text.encode("utf-8"), padding.PKCS1v15(), hashes.SHA256())
        return base64.b64encode(signature).decode("ascii")
