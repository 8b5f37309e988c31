"""The events of the webhooks, stored."""

from __future__ import annotations

from typing import Iterator, Optional, cast

from .._connection import ApiCall, Connection, parameters_of
from ..errors import not_a_page
from ..types import Event, EventsPage

PATH = "/api/v4/events"


class Events:
    """The webhooks' events, stored: the same bodies in their order, even if a delivery was lost."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        after_sequence: int = 0,
        *,
        limit: Optional[int] = None,
        min_position: Optional[str] = None,
    ) -> EventsPage:
        """Return one page of the events after a ``sequence``, that of the last one you handled."""
        query = parameters_of({"after_sequence": after_sequence, "limit": limit})
        answer = self._connection.send(ApiCall("GET", PATH, query, min_position=min_position))
        if not isinstance(answer.body.get("data"), list):
            raise not_a_page(PATH)
        return cast(EventsPage, {**answer.body, "ledger_position": answer.ledger_position})

    def all(
        self,
        after_sequence: int = 0,
        *,
        limit: Optional[int] = None,
        min_position: Optional[str] = None,
    ) -> Iterator[Event]:
        """Yield every event up to the newest, in order (SDK-15).

        Raises PesaPostError, ``unexpected_answer``, if an event is missing between two.
        """
        while True:
            data = self.list(after_sequence, limit=limit, min_position=min_position)["data"]
            for event in data:
                # A skipped event would never be noticed again.
                if event.get("sequence") != after_sequence + 1:
                    raise not_a_page(PATH)
                after_sequence = event["sequence"]
                yield event
            if not data:
                return
