"""Describe a column's scale in a few words."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from softlearn.arrays import Bools, Floats
from softlearn.table.scale import Scale

_SHOWN = 3  # values that stand out, the most frequent first
_LISTED = 6  # most values of a column whose values are all listed
_PLAIN_DIGITS = 1e15  # beyond it a number is written with an exponent
_DAY = 86400.0
_UNITS = {_DAY * 7: "weeks", _DAY: "days", 3600.0: "hours", 60.0: "minutes"}


def scale_words(
    value: Floats,
    weight: Floats,
    atom: Bools,
    scale: Scale,
    *,
    unit: float,
    is_time: bool = False,
) -> str:
    """Describe a scale, from the distinct values, their weights and which are atoms.

    For example "0 to 99999, never lower, often 0, 15024": the lowest and highest value, then bounds
    and frequent values.
    """
    are_days = bool((value % _DAY == 0.0).all())

    def shown(number: float) -> str:
        return _time(number, are_days=are_days) if is_time else _number(number)

    if atom.all():
        few = value.tolist()
        ends = f"{shown(few[0])} to {shown(few[-1])}"
        listed = ", ".join(map(shown, few)) if len(few) <= _LISTED else f"{ends}, {len(few)} values"
        return f"always {listed}" if len(few) == 1 else listed
    said = [f"{shown(float(value[0]))} to {shown(float(value[-1]))}"]
    said += _step(unit, is_time=is_time)
    if (scale.lower, scale.upper) == (value[0], value[-1]):
        said.append("never outside")
    else:
        said += _bound(("below", "lower"), scale.lower, float(value[0]), shown)
        said += _bound(("above", "higher"), scale.upper, float(value[-1]), shown)
    if atom.any():
        often = sorted(zip((-weight[atom]).tolist(), value[atom].tolist(), strict=True))
        names = [shown(number) for _, number in often[:_SHOWN]]
        said.append(f"often {', '.join(names)}" + (", …" if len(often) > _SHOWN else ""))
    return ", ".join(said)


def _step(step: float, *, is_time: bool) -> list[str]:
    """Return the words for the step, if it is not obvious."""
    if is_time:
        return [_UNITS[step]] if step in _UNITS else []
    if step in (0.0, 1.0):
        return []
    decimals = round(-math.log10(step))
    if decimals > 0 and math.isclose(step, 10.0**-decimals):
        return [f"{decimals} decimal{'s' if decimals > 1 else ''}"]
    return [f"in steps of {_number(step)}"]


def _bound(
    side: tuple[str, str], bound: float | None, seen: float, shown: Callable[[float], str]
) -> list[str]:
    """Return the words for a bound; its number only if no value lies there."""
    if bound is None:
        return []
    return [f"never {side[1]}" if bound == seen else f"never {side[0]} {shown(bound)}"]


def _number(number: float) -> str:
    if number == round(number) and abs(number) < _PLAIN_DIGITS:
        return f"{number:.0f}"
    return f"{number:.6g}"


def _time(number: float, *, are_days: bool) -> str:
    """Return a time as ISO text, to the minute or the day."""
    try:
        found = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    except OverflowError:
        return _number(number)
    return found.date().isoformat() if are_days else found.strftime("%Y-%m-%dT%H:%M")
