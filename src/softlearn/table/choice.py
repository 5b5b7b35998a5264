"""The caller's overrides for a column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import TypeAlias

from softlearn.errors import SchemaError
from softlearn.table.column import MISSING, Column, Missing
from softlearn.table.find_scale import Choices
from softlearn.table.times import seconds_of

# A kind, a Column, or a mapping such as {"scale": "plain"} or {"lower": 0, "missing": "modelled"}.
Choice: TypeAlias = str | Column | Mapping[str, object]

_ABOUT_SCALE = {field.name for field in fields(Choices)}
_KEYS = ("kind", "scale", *sorted(_ABOUT_SCALE), "missing")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A parsed override of a column.

    Attributes
    ----------
    kind
        The kind, or a whole Column; None infers it from the cells.
    is_plain
        Whether the column has plain numbers, without a scale.
    scale
        The overrides of the scale.
    missing
        How missing cells are treated; None uses the default of the table.
    """

    kind: str | Column | None = None
    is_plain: bool = False
    scale: Choices | None = None
    missing: Missing | None = None


def read_choice(name: str, choice: Choice | None) -> Chosen:
    """Parse and check the override of one column."""
    if choice is None or isinstance(choice, str | Column):
        return Chosen(choice)
    if not isinstance(choice, Mapping):
        raise SchemaError(
            f"column {name!r}: say a kind, a Column or a mapping such as {{'scale': 'plain'}}, "
            f"not a {type(choice).__name__}"
        )
    unknown = [key for key in choice if key not in _KEYS]
    if unknown:
        raise SchemaError(f"column {name!r}: unknown {unknown[0]!r}; known: {', '.join(_KEYS)}")
    kind, scale, missing = choice.get("kind"), choice.get("scale"), choice.get("missing")
    if kind is not None and not isinstance(kind, str):
        raise SchemaError(f"column {name!r}: a kind is text, not {kind!r}")
    if scale not in (None, "plain"):
        raise SchemaError(f"column {name!r}: scale is 'plain' or left out, not {scale!r}")
    if missing is not None and missing not in MISSING:
        raise SchemaError(f"column {name!r}: missing is one of {', '.join(MISSING)}")
    known = {key: value for key, value in choice.items() if key in _ABOUT_SCALE}
    if scale == "plain" and known:
        raise SchemaError(f"column {name!r}: plain numbers have no {next(iter(known))}")
    if scale == "plain" and missing == "modelled":
        raise SchemaError(f"column {name!r}: missing cells of plain numbers cannot be modelled")
    return Chosen(kind, scale == "plain", _choices(name, known), missing)  # type: ignore[arg-type]


def chosen_later(column: Column, choice: Mapping[str, object]) -> Column:
    """Return a column changed by an override that needs no cells."""
    chosen = read_choice(column.name, choice)
    if chosen.scale is not None or chosen.missing is not None:
        raise SchemaError(
            f"column {column.name!r}: its cells are needed for that; use "
            "infer_schema(frame, overrides={...})"
        )
    changed = column if chosen.kind is None else column.as_kind(str(chosen.kind))
    return replace(changed, scale=None) if chosen.is_plain else changed


def _choices(name: str, known: Mapping[str, object]) -> Choices | None:
    """Return the checked overrides of a scale."""
    if not known:
        return None
    numbers: dict[str, object] = {}
    for key, value in known.items():
        values = value if key == "atoms" else [value]
        if not isinstance(values, list | tuple | set | frozenset):
            raise SchemaError(f"column {name!r}: atoms are a list of numbers, not {value!r}")
        wrong = [x for x in values if isinstance(x, bool) or not isinstance(x, int | float | date)]
        if wrong:
            raise SchemaError(f"column {name!r}: {key} takes numbers or times, not {wrong[0]!r}")
        read = tuple(sorted(seconds_of(x) if isinstance(x, date) else float(x) for x in values))
        infinite = [x for x in read if not math.isfinite(x)]
        if infinite:
            raise SchemaError(f"column {name!r}: {key} takes finite numbers, not {infinite[0]}")
        numbers[key] = read if key == "atoms" else read[0]
    choices = Choices(**numbers)  # type: ignore[arg-type]
    if choices.step is not None and choices.step < 0.0:
        raise SchemaError(f"column {name!r}: step is 0 or more, not {choices.step:g}")
    lower, upper = choices.lower, choices.upper
    if lower is not None and upper is not None and lower > upper:
        raise SchemaError(
            f"column {name!r}: the lower bound {lower:g} lies above the upper bound {upper:g}"
        )
    return choices
