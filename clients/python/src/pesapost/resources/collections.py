"""Money from customers' phones."""

from __future__ import annotations

import random
import time
from typing import Optional, cast

from .._connection import ApiCall, Connection
from .._retry import is_retryable
from .._settings import positive_seconds
from .._signing import encode_part
from ..errors import Failure, PesaPostError, error_of
from ..types import (
    CreatedItem,
    ExpectedPayment,
    NewCollection,
    NewExpectedPayment,
    NewRefund,
    Receipt,
    Transaction,
)
from ._created import created

FIRST_PAUSE = 0.5
MAX_PAUSE = 5.0


class Collections:
    """Money from customers' phones."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self, collection: NewCollection, *, idempotency_key: Optional[str] = None
    ) -> CreatedItem:
        """Send a push to the customer's phone. Money moves only when the customer confirms.

        If the reference exists, the call returns its current state and pushes nothing.
        Raises PesaPostError: ``rail_rejected`` if the rail refused the push. Raises
        DifferentItemError if the reference exists for another amount, phone or account.
        """
        answer = self._connection.post("/api/v4/collections", collection, idempotency_key)
        return cast(CreatedItem, created(answer))

    def expect(
        self, payment: NewExpectedPayment, *, idempotency_key: Optional[str] = None
    ) -> ExpectedPayment:
        """Expect a payment without a push: show the customer ``pay_to``.

        Raises PesaPostError; DifferentItemError if the reference exists for another payment.
        """
        answer = self._connection.post("/api/v4/expected-payments", payment, idempotency_key)
        return cast(ExpectedPayment, created(answer))

    def refund(
        self, collection: str, refund: NewRefund, *, idempotency_key: Optional[str] = None
    ) -> CreatedItem:
        """Give a completed collection back, as a whole or in part.

        The refund is a payout: another holder approves it with ``payouts.approve``, under the
        refund's own reference. Raises PesaPostError, such as ``not_refundable``.
        """
        path = f"{_path_of(collection)}/refund"
        return cast(CreatedItem, created(self._connection.post(path, refund, idempotency_key)))

    def get(self, reference: str) -> Transaction:
        """Return the current state, never behind. Raises PesaPostError, ``not_found``."""
        return self._get(reference, float("inf"))

    def receipt(self, reference: str) -> Receipt:
        """Return a receipt that anyone can check without trusting PesaPost.

        Each day is sealed a few minutes after its end; before that, a posting's proof is None.
        """
        answer = self._connection.send(ApiCall("GET", f"{_path_of(reference)}/receipt"))
        return cast(Receipt, answer.body)

    def wait_until_settled(self, reference: str, *, timeout: float = 120.0) -> Transaction:
        """Poll until the collection is ``completed`` or ``failed`` (SDK-16).

        A failed one can still become ``completed``, so keep listening to webhooks.
        Raises NotSettledError after ``timeout`` seconds; PesaPostError.
        """
        until = time.monotonic() + positive_seconds("timeout", timeout)
        last: Optional[Transaction] = None
        pause, asked = FIRST_PAUSE, 0
        while time.monotonic() < until:
            asked += 1
            try:
                last = self._get(reference, until)
                if last.get("status") in ("completed", "failed"):
                    return last
            except PesaPostError as error:
                if not is_retryable(error):
                    raise
            # Many callers may wait at the same time, and they should not all ask at once.
            jittered = pause * (1 - random.random() / 4)
            time.sleep(max(0.0, min(jittered, until - time.monotonic())))
            pause = min(MAX_PAUSE, pause * 1.5)
        failure = Failure(
            "not_settled", "not_settled", reference=reference, timeout=timeout, last=last
        )
        raise error_of(failure, f"GET {_path_of(reference)}", asked)

    def _get(self, reference: str, until: float) -> Transaction:
        answer = self._connection.send(ApiCall("GET", _path_of(reference), until=until))
        return cast(Transaction, answer.body)


def _path_of(reference: str) -> str:
    return f"/api/v4/collections/{encode_part(reference)}"
