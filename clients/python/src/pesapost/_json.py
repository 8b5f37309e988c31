"""JSON whose amounts are exact: no number ever becomes a float (SDK-13)."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, Dict, List, Tuple


def parse_json(text: str) -> Any:
    """Parse JSON. A member named ``..._minor`` is an int, and any other decimal number a Decimal.

    Raises ValueError if the text is not JSON.
    """
    try:
        return json.loads(
            text,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_with_exact_amounts,
        )
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _with_exact_amounts(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    return {name: _amount(value) if name.endswith("_minor") else value for name, value in pairs}


def _amount(value: Any) -> Any:
    """Return digits in quotes as an int, because a service may quote long amounts."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value) else value


def to_json(value: Any) -> bytes:
    """Write a request's body. Raises TypeError for an amount that is no int, and for any float."""
    _refuse_inexact("the body", value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _refuse_inexact(name: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, member in value.items():
            _refuse_inexact(str(key), member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            _refuse_inexact(name, member)
    elif isinstance(value, (float, Decimal)):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}: KES 250.00 is 25000")
    # True is an int to Python.
    elif name.endswith("_minor") and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"{name} must be an int in minor units: KES 250.00 is 25000")
