"""Cells, levels and numbers as JSON holds them."""

from __future__ import annotations

import math
from datetime import date
from typing import Any, TypeAlias

from softlearn.conditions import format_conditions
from softlearn.errors import TableError
from softlearn.table import Column, decode_value

Json: TypeAlias = Any


def number(value: float) -> float | None:
    """Return a finite number; what JSON cannot hold is null."""
    return float(value) if math.isfinite(value) else None


def cell(column: Column, code: float) -> Json:
    """Return an encoded cell as a level, a number, ISO text for a time, or null if it is missing.

    A time beyond the calendar stays a number of seconds.
    """
    if math.isnan(code) or math.isinf(code):
        return None
    try:
        value = decode_value(column, code)
    except TableError:
        return float(code)
    return value.isoformat() if isinstance(value, date) else value


def condition_text(column: Column, value: Json) -> str:
    """Return the condition that a column has a value, as text that is read back."""
    return format_conditions({column.name: {None} if value is None else value})
