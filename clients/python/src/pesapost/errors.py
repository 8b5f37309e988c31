"""The error that a failed call raises (SDK-10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional, Tuple

ERROR_KINDS: Mapping[str, str] = {
    "invalid_token": "authentication",
    "ip_not_allowed": "authentication",
    "missing_signature": "authentication",
    "timestamp_expired": "authentication",
    "invalid_signature": "authentication",
    "invalid_nonce": "authentication",
    "nonce_reused": "authentication",
    "invalid_client": "authentication",
    "unsupported_grant_type": "authentication",
    "missing_idempotency_key": "request",
    "invalid_idempotency_key": "request",
    "invalid_cursor": "request",
    "invalid_request": "request",
    "invalid_account": "request",
    "invalid_phone": "request",
    "invalid_amount": "request",
    "invalid_currency": "request",
    "invalid_channel": "request",
    "invalid_reference": "request",
    "invalid_type": "request",
    "invalid_status": "request",
    "invalid_date": "request",
    "invalid_limit": "request",
    "invalid_position": "request",
    "invalid_sequence": "request",
    "method_not_allowed": "request",
    "payload_too_large": "request",
    "unsupported_media_type": "request",
    "not_found": "not_found",
    "same_holder": "refused",
    "not_refundable": "refused",
    "destination_not_allowed": "refused",
    "not_pending_approval": "refused",
    "not_cancellable": "refused",
    "insufficient_funds": "refused",
    "limit_exceeded": "refused",
    "rail_rejected": "refused",
    "idempotency_in_progress": "idempotency",
    "idempotency_key_reused": "idempotency",
    "rate_limited": "rate_limit",
    "internal_error": "service",
    "service_unavailable": "service",
}
"""Every error code of PesaPost with its kind:

- ``authentication``: the token, address or signature is wrong; check the set-up, or a clock
- ``request``: the request is not well-formed; ``detail`` names the field and the rule
- ``not_found``: there is no item with that name
- ``refused``: the request is well-formed, and declined
- ``idempotency``: the Idempotency-Key is in use, or was used for another body
- ``rate_limit``, ``service``: try again later
"""


@dataclass(frozen=True)
class Failure:
    """The reason why a call failed. A member that does not apply is None."""

    code: str
    kind: str
    status: Optional[int] = None
    detail: Optional[str] = None
    request_id: Optional[str] = None
    retry_after_seconds: Optional[int] = None
    wire_code: Optional[str] = None
    reference: Optional[str] = None
    differs: Tuple[str, ...] = ()
    existing: Optional[Mapping[str, Any]] = None
    timeout: Optional[float] = None
    last: Optional[Mapping[str, Any]] = None
    cause: Optional[BaseException] = None


class PesaPostError(Exception):
    """A failed call. ``kind`` is the group, and ``code`` the exact error.

    Kinds besides those of ERROR_KINDS: ``network``, ``timeout``, ``not_settled`` and ``unknown``.
    A mistake of the calling program, such as an amount that is a float, is a TypeError or a
    ValueError.
    """

    def __init__(
        self, failure: Failure, call: str, attempts: int, idempotency_key: Optional[str]
    ) -> None:
        """Keep the facts as the exception's arguments, so that it can be pickled."""
        failure = replace(failure, cause=None)
        super().__init__(failure, call, attempts, idempotency_key)
        self.failure = failure
        self.code = failure.code
        self.kind = failure.kind
        #: HTTP status, if there was an answer.
        self.status = failure.status
        #: One sentence that names the field and the rule, if the service gave one.
        self.detail = failure.detail
        #: X-Request-Id: quote it when you ask for help.
        self.request_id = failure.request_id
        self.retry_after_seconds = failure.retry_after_seconds
        #: The code as received, if ``code`` is ``unknown_code``.
        self.wire_code = failure.wire_code
        #: Method and path.
        self.call = call
        #: The number of times the request was sent.
        self.attempts = attempts
        #: A later call with this key and the same body repeats this call and starts no other.
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.call}: {_sentence(self.failure)}"


class DifferentItemError(PesaPostError):
    """The reference belongs to an earlier item, and the call asked for something else (SDK-5).

    Nothing was pushed or reserved, and the earlier item's status never answers this call.
    """

    @property
    def reference(self) -> Optional[str]:
        """The reference that exists."""
        return self.failure.reference

    @property
    def differs(self) -> Tuple[str, ...]:
        """The call's fields that differ from the earlier item's, such as ``amount_minor``."""
        return self.failure.differs

    @property
    def existing(self) -> Mapping[str, Any]:
        """The earlier item, in its current state."""
        return self.failure.existing or {}


class NotSettledError(PesaPostError):
    """``wait_until_settled`` ran out of time. The collection may still settle."""

    @property
    def last(self) -> Optional[Mapping[str, Any]]:
        """The last known state; None if no answer came."""
        return self.failure.last


def error_of(
    failure: Failure, call: str, attempts: int, idempotency_key: Optional[str] = None
) -> PesaPostError:
    """Return the exception for a failure, of the class that has its members."""
    error_class = PesaPostError
    if failure.differs:
        error_class = DifferentItemError
    elif failure.kind == "not_settled":
        error_class = NotSettledError
    error = error_class(failure, call, attempts, idempotency_key)
    error.__cause__ = failure.cause
    return error


def not_a_page(path: str) -> PesaPostError:
    """Return the error for an answer of 200 whose page does not fit the pages before it."""
    return error_of(Failure("unexpected_answer", "unknown", status=200), f"GET {path}", 1)


def _sentence(failure: Failure) -> str:
    if failure.kind == "network":
        return "no answer: the connection failed or broke"
    if failure.kind == "timeout":
        return f"no answer within {failure.timeout} s"
    if failure.kind == "not_settled":
        status = (failure.last or {}).get("status", "unknown status")
        return f"{status} after {failure.timeout} s"
    if failure.differs:
        other = ", ".join(failure.differs)
        return f"{failure.reference} is an earlier item of another {other}; nothing was done"
    if failure.code == "unexpected_answer":
        return f"{failure.status}, not in the shape of a PesaPost answer; is base_url right?"
    text = f"{failure.status} {failure.wire_code or failure.code}"
    return text if failure.detail is None else f"{text}: {failure.detail}"
