"""The accounts that receive the money."""

from __future__ import annotations

from typing import Optional, cast

from .._connection import ApiCall, Connection
from .._signing import encode_part
from ..types import Balance


class Accounts:
    """The accounts that receive the money."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def balance(
        self,
        account_no: str,
        *,
        min_position: Optional[str] = None,
        at_position: Optional[str] = None,
    ) -> Balance:
        """Return the balance, or the one at ``at_position``.

        Raises PesaPostError, ``not_found`` if it is not your account.
        """
        path = f"/api/v4/accounts/{encode_part(account_no)}/balance"
        answer = self._connection.send(
            ApiCall("GET", path, min_position=min_position, at_position=at_position)
        )
        return cast(Balance, {**answer.body, "ledger_position": answer.ledger_position})
