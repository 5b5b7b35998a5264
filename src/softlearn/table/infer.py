"""A schema guessed from a frame, with the reason for every guess."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import IdentifierWarning, SchemaError, TableError
from softlearn.table.cells import Cells
from softlearn.table.column import KINDS, Column, Level
from softlearn.table.frames import open_frame
from softlearn.table.schema import CALLER, Schema, chosen_column, unknown_name

# Integers are labels when there are few of them and each is seen several times; quantities such as
# ages and counts of a table worth learning from soon show more than twenty values.
MOST_INTEGER_LEVELS = 20
FEWEST_ROWS_PER_LEVEL = 5
# Text that hardly ever repeats names its row; in a short table that may be chance.
IDENTIFIER_SHARE = 0.9
IDENTIFIER_ROWS = 30

_HEAD = 1000  # cells that show at little cost that a column has many values

_FITTING_KINDS = {
    "boolean": ("boolean", "categorical"),
    "integer": ("boolean", "categorical", "integer", "numeric"),
    "numeric": ("boolean", "categorical", "integer", "numeric"),
    "categorical": ("categorical",),
    "datetime": ("datetime",),
    "empty": ("boolean", "integer", "numeric", "datetime"),
}


def infer_schema(frame: object, *, overrides: Mapping[str, str | Column] | None = None) -> Schema:
    """Guess what the columns of a frame are.

    Booleans, and integers that are only 0 and 1, are boolean; text and categories are categorical;
    integers are categorical when they take few values, else integer; other numbers are numeric.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        At least one row and one column. Missing cells are welcome. The columns of an array are
        named "0", "1" and so on; those of a pandas frame that are whole numbers likewise.
    overrides : mapping of column name to kind or Column, optional
        What the caller knows better. A kind is enough: levels are taken from the cells.

    Returns
    -------
    Schema
        One column for each of the frame's, each with a ``reason``.
    """
    table = open_frame(frame)
    if not table.names or not table.n_rows:
        raise TableError(
            f"the table has {table.n_rows} rows and {len(table.names)} columns; "
            "at least one of each is needed"
        )
    choices = dict(overrides or {})
    for name in choices:
        if name not in table.names:
            raise unknown_name(name, table.names)
    columns = []
    for name in table.names:
        cells = table.cells(name)
        columns.append(_column(cells, choices.get(name)))
        if name not in choices:
            _warn_of_identifier(cells)
    return Schema(tuple(columns), table.library, table.numbered)


def _column(cells: Cells, choice: str | Column | None) -> Column:
    if choice is None:
        return _guess(cells)
    if isinstance(choice, Column):
        dtype = "" if cells.stored == "empty" else cells.dtype
        return chosen_column(replace(choice, name=cells.name, dtype=dtype), choice)
    return _as_kind(cells, choice)


def _guess(cells: Cells) -> Column:
    match cells.stored:
        case "boolean":
            return _boolean(cells, "booleans", (False, True))
        case "integer":
            return _guess_integer(cells)
        case "numeric":
            return Column(cells.name, "numeric", (), cells.dtype, "decimal numbers")
        case "datetime":
            return Column(cells.name, "datetime", (), cells.dtype, "dates or times")
    return _guess_labels(cells)


def _guess_integer(cells: Cells) -> Column:
    observed = cells.observed
    if observed.size and _first_beyond_truths(observed) is None:
        return _boolean(cells, "only the integers 0 and 1", (0, 1))
    few = _few_distinct(observed)
    if 0 < few.size <= observed.size / FEWEST_ROWS_PER_LEVEL:
        reason = f"only {few.size} distinct integers in {observed.size} cells"
        return _categorical(cells, _whole(few), reason)
    reason = "integers with many values" if observed.size else "integers, all missing"
    return Column(cells.name, "integer", (), cells.dtype, reason)


def _guess_labels(cells: Cells) -> Column:
    if not cells.levels:
        raise TableError(
            f"every cell of column {cells.name!r} is missing, so its levels are unknown; leave the "
            "column out, or give a Column with levels in overrides"
        )
    if cells.is_declared:
        return _categorical(cells, cells.levels, f"{len(cells.levels)} declared categories")
    return _categorical(cells, cells.levels, f"text with {len(cells.levels)} distinct values")


def _as_kind(cells: Cells, kind: str) -> Column:
    if kind not in KINDS:
        raise SchemaError(
            f"column {cells.name!r}: unknown kind {kind!r}; known: {', '.join(KINDS)}"
        )
    if kind not in _FITTING_KINDS[cells.stored]:
        raise SchemaError(
            f"column {cells.name!r} is stored as {cells.dtype} and cannot be {kind}; "
            f"possible: {', '.join(_FITTING_KINDS[cells.stored])}. Convert the column first."
        )
    if kind == "boolean":
        return _chosen_boolean(cells)
    if kind == "categorical":
        return _chosen_categorical(cells)
    if kind == "integer":
        _require_whole(cells)
    dtype = "" if cells.stored == "empty" else cells.dtype
    return Column(cells.name, kind, (), dtype, CALLER)  # type: ignore[arg-type]


def _chosen_boolean(cells: Cells) -> Column:
    stranger = _first_beyond_truths(cells.observed)
    if stranger is not None:
        raise TableError(f"column {cells.name!r} cannot be boolean: it holds {stranger:g}")
    if cells.stored in ("boolean", "empty"):
        return _boolean(cells, CALLER, (False, True))
    return _boolean(cells, CALLER, (0, 1))


def _chosen_categorical(cells: Cells) -> Column:
    if cells.stored == "boolean":
        return _categorical(cells, (False, True), CALLER)
    if cells.stored == "categorical":
        return replace(_guess_labels(cells), reason=CALLER)
    distinct = np.unique(cells.observed)
    if not distinct.size:
        raise TableError(f"every cell of column {cells.name!r} is missing: give its levels")
    levels = _whole(distinct) if cells.stored == "integer" else tuple(distinct.tolist())
    return _categorical(cells, levels, CALLER)


def _boolean(cells: Cells, reason: str, levels: tuple[Level, Level]) -> Column:
    dtype = "" if cells.stored == "empty" else cells.dtype
    return Column(cells.name, "boolean", levels, dtype, reason)


def _categorical(cells: Cells, levels: tuple[Level, ...], reason: str) -> Column:
    return Column(cells.name, "categorical", levels, cells.dtype, reason)


def _whole(numbers: Floats) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)


def _few_distinct(observed: Floats) -> Floats:
    """Return the distinct values if they are few, else none; a look at the head settles most."""
    head = np.unique(observed[:_HEAD])
    distinct = np.unique(observed) if head.size <= MOST_INTEGER_LEVELS else head
    return distinct if distinct.size <= MOST_INTEGER_LEVELS else distinct[:0]


def _first_beyond_truths(observed: Floats) -> float | None:
    beyond = observed[(observed != 0) & (observed != 1)]
    return float(beyond[0]) if beyond.size else None


def _require_whole(cells: Cells) -> None:
    observed = cells.observed
    broken = observed[observed != np.rint(observed)]
    if broken.size:
        raise TableError(f"column {cells.name!r} cannot be integer: it holds {broken[0]:g}")


def _warn_of_identifier(cells: Cells) -> None:
    observed = cells.observed if cells.stored == "categorical" else cells.observed[:0]
    n_distinct = np.unique(observed).size
    if observed.size >= IDENTIFIER_ROWS and n_distinct >= IDENTIFIER_SHARE * observed.size:
        warnings.warn(
            f"column {cells.name!r} holds {n_distinct} different texts in {observed.size} cells: "
            "it looks like an identifier, which nothing can be learnt from; leave it out",
            IdentifierWarning,
            stacklevel=3,
        )
