"""The list of collections and payouts."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, cast

from .._connection import ApiCall, Connection, parameters_of
from ..errors import not_a_page
from ..types import Transaction, TransactionFilters, TransactionsPage

PATH = "/api/v4/transactions"


class Transactions:
    """The list of collections and payouts, newest first."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        filters: Optional[TransactionFilters] = None,
        *,
        min_position: Optional[str] = None,
        at_position: Optional[str] = None,
    ) -> TransactionsPage:
        """Return one page: at least as new as ``min_position``, or as it was at ``at_position``."""
        query = parameters_of(cast(Dict[str, Any], filters or {}))
        answer = self._connection.send(
            ApiCall("GET", PATH, query, min_position=min_position, at_position=at_position)
        )
        if not isinstance(answer.body.get("data"), list):
            raise not_a_page(PATH)
        facts = {"ledger_position": answer.ledger_position}
        return cast(TransactionsPage, {**answer.body, **facts})

    def pages(
        self,
        filters: Optional[TransactionFilters] = None,
        *,
        min_position: Optional[str] = None,
        at_position: Optional[str] = None,
    ) -> Iterator[TransactionsPage]:
        """Yield page after page, each fetched when it is needed (SDK-14).

        To continue on another day, store the last page's ``next_cursor``.
        """
        wanted: Dict[str, Any] = {**(filters or {})}
        while True:
            page = self.list(
                cast(TransactionFilters, wanted),
                min_position=min_position,
                at_position=at_position,
            )
            yield page
            cursor: Any = page.get("next_cursor", "")
            if cursor is None:
                return
            # A cursor that leads to itself, or none, would be followed for ever.
            if not isinstance(cursor, str) or cursor in ("", wanted.get("cursor")):
                raise not_a_page(PATH)
            wanted["cursor"] = cursor

    def all(
        self,
        filters: Optional[TransactionFilters] = None,
        *,
        min_position: Optional[str] = None,
        at_position: Optional[str] = None,
    ) -> Iterator[Transaction]:
        """Yield every item of every page."""
        for page in self.pages(filters, min_position=min_position, at_position=at_position):
            yield from page["data"]
