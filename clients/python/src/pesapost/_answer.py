"""Reads an answer of the service: a JSON object with 2xx, or an error."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Optional, Tuple, Union

from ._http import HttpAnswer
from ._json import parse_json
from .errors import ERROR_KINDS, Failure


@dataclass(frozen=True)
class Answer:
    """A successful answer. Unknown members are kept in ``body`` (SDK-12)."""

    body: Dict[str, Any]
    ledger_position: Optional[str]
    replayed: bool
    existing: bool
    differs: Tuple[str, ...]


def read_answer(answer: HttpAnswer, now: float) -> Union[Answer, Failure]:
    """Return the answer or its failure. A Retry-After date counts from ``now``."""
    body = _json_object(answer.text)
    if body is None or not 200 <= answer.status < 300:
        return _failure(answer, body or {}, now)
    differs = answer.header("X-PP-Differs")
    return Answer(
        body,
        ledger_position=answer.header("X-PP-Ledger-Position"),
        replayed=answer.header("Idempotent-Replayed") == "true",
        existing=answer.header("X-PP-Existing") == "true",
        differs=() if differs is None else tuple(re.split(r", *", differs)),
    )


def unless_different(path: str, answer: Union[Answer, Failure]) -> Union[Answer, Failure]:
    """Make a failure of an answer about an item that differs from the requested one (SDK-5)."""
    if isinstance(answer, Failure) or not answer.differs:
        return answer
    facts = {
        "ledger_position": answer.ledger_position,
        "replayed": answer.replayed,
        "existing": answer.existing,
    }
    return Failure(
        _code_of(path),
        "refused",
        reference=answer.body.get("reference"),
        differs=answer.differs,
        existing={**answer.body, **facts},
    )


def _code_of(path: str) -> str:
    """Return the code; a refund of a collection is a payout."""
    if path == "/api/v4/payout-batches":
        return "different_payout_batch"
    is_payout = path == "/api/v4/payouts" or path.endswith("/refund")
    return "different_payout" if is_payout else "different_collection"


def unexpected(answer: HttpAnswer, retry_after_seconds: Optional[int] = None) -> Failure:
    """Return the failure for an answer that is not in the shape of PesaPost's."""
    return Failure(
        "unexpected_answer",
        "unknown",
        status=answer.status,
        request_id=answer.header("X-Request-Id"),
        retry_after_seconds=retry_after_seconds,
    )


def _failure(answer: HttpAnswer, body: Dict[str, Any], now: float) -> Failure:
    retry_after = read_retry_after(answer.header("Retry-After"), now)
    code, detail = body.get("error"), body.get("detail")
    if not isinstance(code, str) or answer.status < 400:
        return unexpected(answer, retry_after)
    is_known = code in ERROR_KINDS
    return Failure(
        code if is_known else "unknown_code",
        ERROR_KINDS[code] if is_known else "unknown",
        status=answer.status,
        detail=detail if isinstance(detail, str) else None,
        request_id=answer.header("X-Request-Id"),
        retry_after_seconds=retry_after,
        wire_code=None if is_known else code,
    )


def read_retry_after(text: Optional[str], now: float) -> Optional[int]:
    """Return the seconds of a Retry-After: seconds or a date (RFC 9110, section 10.2.3)."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0, math.ceil(until.timestamp() - now))


def _json_object(text: str) -> Optional[Dict[str, Any]]:
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
