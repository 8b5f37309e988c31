"""Many payouts as one batch."""

from __future__ import annotations

from typing import Optional, cast

from .._connection import ApiCall, Connection
from .._signing import encode_part
from ..types import (
    DecidedPayoutBatch,
    NewPayoutBatch,
    PayoutBatchRepeat,
    PayoutBatchSummary,
    RequestedPayoutBatch,
)
from ._created import created, decided

PATH = "/api/v4/payout-batches"


class PayoutBatches:
    """Many payouts as one batch: one holder asks for it, another approves all of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self, batch: NewPayoutBatch, *, idempotency_key: Optional[str] = None
    ) -> RequestedPayoutBatch:
        """Ask for up to 1,000 payouts: all are reserved, or none.

        Raises PesaPostError; ``detail`` names a bad item by its index. Raises DifferentItemError
        if the reference exists for other payouts.
        """
        answer = self._connection.post(PATH, batch, idempotency_key)
        return cast(RequestedPayoutBatch, created(answer))

    def approve(
        self,
        reference: str,
        repeat: Optional[PayoutBatchRepeat] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> DecidedPayoutBatch:
        """Approve all payouts of a batch that another holder asked for. Each is then sent once."""
        return self._decide(f"{_path_of(reference)}/approve", repeat, idempotency_key)

    def reject(
        self,
        reference: str,
        repeat: Optional[PayoutBatchRepeat] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> DecidedPayoutBatch:
        """Reject all payouts of a batch. None is ever sent."""
        return self._decide(f"{_path_of(reference)}/reject", repeat, idempotency_key)

    def cancel(
        self, reference: str, *, idempotency_key: Optional[str] = None
    ) -> DecidedPayoutBatch:
        """Stop the payouts of a batch that were not given to the rail."""
        return self._decide(f"{_path_of(reference)}/cancel", None, idempotency_key)

    def get(self, reference: str, *, min_position: Optional[str] = None) -> PayoutBatchSummary:
        """Return the batch, with its payouts' counts and sums by status."""
        answer = self._connection.send(
            ApiCall("GET", _path_of(reference), min_position=min_position)
        )
        facts = {"ledger_position": answer.ledger_position}
        return cast(PayoutBatchSummary, {**answer.body, **facts})

    def _decide(
        self, path: str, repeat: Optional[PayoutBatchRepeat], idempotency_key: Optional[str]
    ) -> DecidedPayoutBatch:
        answer = self._connection.post(path, repeat or {}, idempotency_key)
        return cast(DecidedPayoutBatch, decided(answer))


def _path_of(reference: str) -> str:
    return f"{PATH}/{encode_part(reference)}"
