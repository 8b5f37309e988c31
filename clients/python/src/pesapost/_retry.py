"""Decides if and when a call is repeated (SDK-1, SDK-2)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional, Union

from .errors import Failure, PesaPostError

MAX_RETRIES = 20


@dataclass(frozen=True)
class RetryPolicy:
    """How often and after how long a call is retried; times in seconds."""

    #: Retries after the first try; 0 for none.
    max_retries: int = 4
    #: The delay before the first retry. It doubles for each further one.
    base_delay: float = 0.5
    #: The longest delay. If the service asks for more by Retry-After, the call fails at once.
    max_delay: float = 20.0

    def __post_init__(self) -> None:
        if type(self.max_retries) is not int or not 0 <= self.max_retries <= MAX_RETRIES:
            raise ValueError(f"max_retries must be an int from 0 to {MAX_RETRIES}")
        for name in ("base_delay", "max_delay"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be seconds, 0 or more")


def is_retryable(failure: Union[Failure, PesaPostError]) -> bool:
    """Return True if the same call may get another answer (SDK-1)."""
    if failure.kind in ("network", "timeout"):
        return True
    return failure.status in (429, 503) or failure.code == "idempotency_in_progress"


def retry_delay(failure: Failure, retry: int, policy: RetryPolicy) -> Optional[float]:
    """Return the seconds before the n-th retry, or None if the failure is final (SDK-2)."""
    if retry > policy.max_retries or not is_retryable(failure):
        return None
    share = random.random()
    backoff: float = min(policy.max_delay, policy.base_delay * 2 ** (retry - 1))
    jittered = backoff * (1 - share / 2)
    asked = failure.retry_after_seconds or 0
    if asked > policy.max_delay:
        return None
    # All callers received the same time, so each waits a little longer at random.
    return jittered if asked == 0 else max(jittered, asked + share * policy.base_delay)
