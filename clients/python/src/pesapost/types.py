"""Shapes of requests and answers.

An answer is a dict; members that this version does not know are kept in it (SDK-12).
Amounts are ints of minor units: KES 250.00 is 25000. Times are RFC 3339, UTC.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, TypedDict


class NewCollection(TypedDict):
    """A new collection or payout: the body of POST /api/v4/collections and /api/v4/payouts."""

    account_no: str
    phone: str
    amount_minor: int
    currency: str
    channel: str
    reference: str


class NewExpectedPayment(TypedDict):
    """A payment that you expect without a push: the body of POST /api/v4/expected-payments."""

    account_no: str
    amount_minor: int
    currency: str
    channel: str
    reference: str


class _RefundReference(TypedDict):
    reference: str


class NewRefund(_RefundReference, total=False):
    """A new refund. Without ``amount_minor``, everything that is left is given back."""

    amount_minor: int
    phone: str


class PayoutRepeat(TypedDict, total=False):
    """Values that a decision may repeat, to be sure that it is about the intended payout."""

    phone: str
    amount_minor: int


class PayoutBatchRepeat(TypedDict, total=False):
    """Values that a decision may repeat, to be sure that it is about the intended batch."""

    count: int
    amount_minor: int


class NewPayoutBatchItem(TypedDict):
    """One payout of a batch."""

    reference: str
    phone: str
    amount_minor: int


class NewPayoutBatch(TypedDict):
    """The body of POST /api/v4/payout-batches: up to 1,000 payouts, decided as one."""

    reference: str
    account_no: str
    currency: str
    channel: str
    items: List[NewPayoutBatchItem]


class AnswerFacts(TypedDict):
    """A fact of each answer besides its body."""

    #: Pass it as ``min_position`` to read your own writes.
    ledger_position: Optional[str]


class _Decided(AnswerFacts):
    status: str
    reference: str
    amount_minor: int
    currency: str
    #: True if the same Idempotency-Key had been answered before.
    replayed: bool


class DecidedPayout(_Decided):
    """The answer to a decision about a payout."""

    rail_reference: Optional[str]


class CreatedItem(DecidedPayout):
    """The answer to a call that creates a collection, a payout or a refund."""

    #: True if the reference existed: the answer is that item, and nothing was done.
    existing: bool


class PayTo(TypedDict):
    """Shown to a customer who pays without a push."""

    pay_bill: str
    account: str


class ExpectedPayment(_Decided):
    """The answer to ``collections.expect``."""

    existing: bool
    pay_to: PayTo


class DecidedPayoutBatch(_Decided):
    """The answer to a decision about a batch."""

    count: int


class RequestedPayoutBatch(DecidedPayoutBatch):
    """The answer to a request for a batch."""

    existing: bool


class CountAndSum(TypedDict):
    """Totals of a batch's payouts that have one status."""

    count: int
    amount_minor: int


class PayoutBatchSummary(AnswerFacts):
    """A batch, with totals of its payouts by status."""

    reference: str
    status: str
    count: int
    amount_minor: int
    currency: str
    account_no: str
    channel: str
    by_status: Dict[str, CountAndSum]


class _TransactionAlways(TypedDict):
    type: str
    reference: str
    status: str
    amount_minor: int
    currency: str
    fee_minor: int
    id: str
    account_no: str
    channel: str
    rail_reference: Optional[str]
    receipt: Optional[str]
    failure_code: Optional[str]
    under_review: bool
    created_at: str
    completed_at: Optional[str]
    paid_at: Optional[str]
    paid_at_known: bool


class Transaction(_TransactionAlways, total=False):
    """An item of the list. These members are present only if they apply."""

    batch: str
    waiting_for_float: bool
    paused: bool
    origin: str
    refund_status: str
    refunded_minor: int
    refund_of: str
    requested_minor: int


TransactionFilters = TypedDict(
    "TransactionFilters",
    {
        "type": str,
        "status": str,
        "from": str,
        "to": str,
        "date_field": str,
        "batch": str,
        "origin": str,
        "limit": int,
        "cursor": str,
    },
    total=False,
)
TransactionFilters.__doc__ = """Filters of the list. ``from`` and ``to`` are days, inclusive; ``limit`` is items per page."""


class TransactionsPage(AnswerFacts):
    """A page of the list, newest first."""

    data: List[Transaction]
    #: None if there are no more pages.
    next_cursor: Optional[str]


class Balance(AnswerFacts):
    """An account's balance as of one position."""

    account_no: str
    currency: str
    posted_minor: int
    reserved_minor: int
    available_minor: int


class Receipt(TypedDict):
    """A collection, its postings, and the proof that they are history. Store it unchanged."""

    item: Transaction
    postings: List[Mapping[str, Any]]
    #: None before the first day is sealed.
    head: Optional[Mapping[str, Any]]


class Event(TypedDict):
    """The body of a webhook, and an item of the feed."""

    #: The same on every delivery of this event. Store it, and handle the event once.
    id: str
    type: str
    created_at: str
    mode: str
    #: 1, 2, 3 … per merchant and mode, without gaps.
    sequence: int
    data: Transaction


class EventsPage(AnswerFacts):
    """A page of the feed, by ``sequence``; ``data`` is empty if there is nothing newer."""

    data: List[Event]
    next_after_sequence: int
