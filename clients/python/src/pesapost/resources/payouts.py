"""Money to customers' phones."""

from __future__ import annotations

from typing import Optional, cast

from .._connection import ApiCall, Connection
from .._signing import encode_part
from ..types import CreatedItem, DecidedPayout, NewCollection, PayoutRepeat, Transaction
from ._created import created, decided


class Payouts:
    """Money to customers' phones. One holder asks, and another approves."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def request(
        self, payout: NewCollection, *, idempotency_key: Optional[str] = None
    ) -> CreatedItem:
        """Ask for a payout. Its amount and fee are reserved, and it waits for another holder.

        Raises PesaPostError, such as ``insufficient_funds``; DifferentItemError if the reference
        exists for another amount, phone or account.
        """
        answer = self._connection.post("/api/v4/payouts", payout, idempotency_key)
        return cast(CreatedItem, created(answer))

    def approve(
        self,
        reference: str,
        repeat: Optional[PayoutRepeat] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> DecidedPayout:
        """Approve a payout that another holder asked for. It is then sent once.

        The values in ``repeat`` must be the payout's.
        Raises PesaPostError, such as ``same_holder``.
        """
        return self._decide(f"{_path_of(reference)}/approve", repeat, idempotency_key)

    def reject(
        self,
        reference: str,
        repeat: Optional[PayoutRepeat] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> DecidedPayout:
        """Reject a payout that another holder asked for. It is never sent."""
        return self._decide(f"{_path_of(reference)}/reject", repeat, idempotency_key)

    def cancel(self, reference: str, *, idempotency_key: Optional[str] = None) -> DecidedPayout:
        """Stop a payout that was not given to the rail.

        The holder who asked for it may do this too. Raises PesaPostError, ``not_cancellable``.
        """
        return self._decide(f"{_path_of(reference)}/cancel", None, idempotency_key)

    def get(self, reference: str) -> Transaction:
        """Return the current state, never behind. Raises PesaPostError, ``not_found``."""
        answer = self._connection.send(ApiCall("GET", _path_of(reference)))
        return cast(Transaction, answer.body)

    def _decide(
        self, path: str, repeat: Optional[PayoutRepeat], idempotency_key: Optional[str]
    ) -> DecidedPayout:
        answer = self._connection.post(path, repeat or {}, idempotency_key)
        return cast(DecidedPayout, decided(answer))


def _path_of(reference: str) -> str:
    return f"/api/v4/payouts/{encode_part(reference)}"
