"""Format numbers, probabilities, values and lists as text."""

from __future__ import annotations

import textwrap
from datetime import datetime

from softlearn.errors import TableError
from softlearn.table import Column, decode_value
from softlearn.table.column import Level

WIDTH = 78  # letters in a line of terminal text
_NO_BREAK = "\N{NO-BREAK SPACE}"
_DAY = 86_400.0
_UNITS = (("days", _DAY), ("hours", 3600.0), ("minutes", 60.0), ("s", 1.0))


def share_text(share: float) -> str:
    """Return a probability in per cent; small ones keep a digit, and only certainty is 100 %."""
    percent = 100.0 * share
    if 0.0 < percent < 0.1:
        return "<0.1 %"
    if 0.0 < percent < 0.95 or 99.5 <= percent < 100.0:
        return f"{min(percent, 99.9):.1f} %"
    return f"{percent:.0f} %"


def number_text(value: float) -> str:
    """Return a number with three digits, or whole with its thousands apart."""
    if 1000.0 <= abs(value) < 1_000_000_000.0:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def value_text(column: Column, value: float, deviation: float = _DAY) -> str:
    """Return a number or time of a continuous column, rounded by its deviation."""
    if column.kind != "datetime":
        return number_text(value)
    try:
        moment = decode_value(column, value)
    except TableError:  # before the year 1 or after 9999, outside the calendar
        return f"{number_text(value)} s"
    if isinstance(moment, datetime) and deviation < _DAY:
        return moment.strftime("%Y-%m-%d %H:%M")
    return str(moment)[:10]


def deviation_text(column: Column, deviation: float) -> str:
    """Return a standard deviation; of times in the largest unit that it fills."""
    if column.kind != "datetime":
        return f"{deviation:.2g}" if deviation < 99.5 else number_text(deviation)
    name, size = next((unit for unit in _UNITS if deviation >= unit[1]), _UNITS[-1])
    return f"{number_text(deviation / size)} {name}"


def moved(column: Column, *, up: bool) -> str:
    """Return the word for more or less of a continuous column."""
    if column.kind == "datetime":
        return "later" if up else "earlier"
    return "higher" if up else "lower"


def level_text(column: str, level: Level, letters: int) -> str:
    """Return a column with its level."""
    return f"{column}={shortened(str(level), letters)}"


def shortened(text: str, letters: int) -> str:
    """Return the text on one line, with its middle left out if it is too long."""
    text = " ".join(text.split())
    if len(text) <= letters:
        return text
    tail = (letters - 1) // 3
    return f"{text[: letters - 1 - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def hanging(head: str, text: str) -> str:
    """Return lines of which all but the first are indented below the end of the head."""
    for pair in (" %", " ±", "± "):  # no line break within an item
        text = text.replace(pair, pair.replace(" ", _NO_BREAK))
    lines = textwrap.fill(
        text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    )
    return lines.replace(_NO_BREAK, " ")


def listed(names: list[str], most: int) -> str:
    """Return the first few names, and how many more there are."""
    shown = ", ".join(names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown
