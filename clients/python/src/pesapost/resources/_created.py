"""Calls that create or decide an item."""

from __future__ import annotations

from typing import Any, Dict

from .._answer import Answer


def created(answer: Answer) -> Dict[str, Any]:
    """Return the answer of a call that creates an item."""
    return {**decided(answer), "existing": answer.existing}


def decided(answer: Answer) -> Dict[str, Any]:
    """Return the answer of a call that decides an item that exists."""
    facts = {"ledger_position": answer.ledger_position, "replayed": answer.replayed}
    return {**answer.body, **facts}
