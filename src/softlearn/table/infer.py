"""Infer a schema from a frame, with a reason for each column."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import IdentifierWarning, NumbersAsTextWarning, SchemaError, TableError
from softlearn.table.cells import Cells
from softlearn.table.choice import Choice, Chosen, read_choice
from softlearn.table.column import KINDS, MISSING, Column, Level, Missing
from softlearn.table.content import as_kind_needs, by_content, is_misfit
from softlearn.table.counts import WeightTotals
from softlearn.table.find_scale import can_have_scale, scale_of
from softlearn.table.joining import MOST_VALUES
from softlearn.table.refining import in_passes
from softlearn.table.schema import CALLER, Schema, chosen_column, unknown_name
from softlearn.table.summary import ColumnSummary, TableSummary, summarise

# Text that hardly repeats is probably an identifier; in a short table that may be chance.
IDENTIFIER_SHARE = 0.9
IDENTIFIER_ROWS = 30
# Numbers with decimals or separators, a currency or a percent sign; whole numbers may be labels.
_WRITTEN_NUMBER = re.compile(r"[-+]?[$€£]?\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?\s?[%€]?")
_FEWEST_NUMBERS, _SHOWN_NUMBERS = 3, 2

_FITTING_KINDS = {
    "boolean": ("boolean", "categorical"),
    "integer": ("boolean", "categorical", "integer", "numeric"),
    "numeric": ("boolean", "categorical", "integer", "numeric"),
    "categorical": ("categorical",),
    "datetime": ("datetime",),
    "empty": ("boolean", "integer", "numeric", "datetime"),
}


def infer_schema(
    frame: object,
    *,
    overrides: Mapping[str, Choice] | None = None,
    missing: Missing = "unobserved",
    weights: Floats | None = None,
) -> Schema:
    """Infer what the columns of a frame are from the content of their cells, not their storage.

    Booleans, and numbers that are only 0 and 1, are boolean; whole numbers are integer, however few
    there are; other numbers are numeric. ISO dates and times are datetime, also as text; other text
    and declared categories are categorical.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        At least one row and one column; cells may be missing. The columns of an array are named
        "0", "1" and so on; those of a pandas frame that are whole numbers likewise.
    overrides : mapping of column name to kind, Column or mapping, optional
        Overrides of the inference. A kind is enough: levels are taken from the cells. A mapping may
        have ``kind``; ``scale``, which is ``"plain"`` for numbers without a scale; ``step``,
        ``lower``, ``upper`` and ``atoms`` of the scale; and ``missing``.
    missing : {"unobserved", "modelled"}
        How a missing cell is treated: as unobserved, or as a value with a probability in
        every column that has missing cells.
    weights : array of shape (rows,), optional
        How much each row counts when scales are found.

    Returns
    -------
    Schema
        One column for each of the frame's, each with a ``reason``. Numbers and times have a
        ``scale``: the grid, bounds and values that stand out, and cells at quantiles.
    """
    counts = None
    if weights is not None:
        counts = WeightTotals.of(weights).as_counts(weights)
    whole = in_passes(lambda within: summarise(frame, counts, within=within).bounded(MOST_VALUES))
    return schema_of(whole, overrides=overrides, missing=missing)


def schema_of(
    table: TableSummary,
    *,
    overrides: Mapping[str, Choice] | None = None,
    missing: Missing = "unobserved",
) -> Schema:
    """Infer the schema from a summary of all cells; see ``infer_schema``."""
    if not table.names or not table.n_rows:
        raise TableError(
            f"the table has {table.n_rows} rows and {len(table.names)} columns; "
            "at least one of each is needed"
        )
    if missing not in MISSING:
        raise SchemaError(f"missing must be one of {', '.join(MISSING)}, not {missing!r}")
    choices = dict(overrides or {})
    for name in choices:
        if name not in table.names:
            raise unknown_name(name, table.names)
    columns = []
    for found in table.columns:
        name = found.cells.name
        chosen = read_choice(name, choices.get(name))
        column = _column(found.cells, chosen.kind)
        if column.kind == "categorical" and name not in choices:
            _warn_of_text(found)
        has_gaps = missing == "modelled" and found.n_observed < table.n_rows
        says = chosen.missing or ("modelled" if has_gaps else "unobserved")
        columns.append(_completed(column, found, chosen, says, table.weight))
    return Schema(tuple(columns), table.library, table.numbered)


def _completed(
    column: Column, found: ColumnSummary, chosen: Chosen, says: Missing, weight: float
) -> Column:
    """Return the column with its scale and its treatment of missing cells."""
    if isinstance(chosen.kind, Column):
        return column
    if column.is_discrete:
        if chosen.scale is not None or chosen.is_plain:
            raise SchemaError(f"column {column.name!r} is {column.kind} and has no scale")
        return replace(column, missing=says)
    if chosen.is_plain:
        return column
    distinct = found.distinct(column.kind)
    whole, signed = column.kind == "integer", column.kind == "datetime"
    is_open = chosen.scale is None and says == "unobserved"
    if is_open and not can_have_scale(distinct, whole=whole):
        return column
    share = found.missing / weight if weight > 0.0 else 1.0
    try:
        scale = scale_of(distinct, share, whole=whole, signed=signed, choices=chosen.scale)
    except SchemaError as error:
        raise SchemaError(f"column {column.name!r}: {error}") from None
    return replace(column, scale=scale, missing=says)


def _column(cells: Cells, choice: str | Column | None) -> Column:
    if choice is None:
        return _guess(by_content(cells))
    if isinstance(choice, Column):
        known = replace(choice, name=cells.name, dtype=_dtype(cells, choice))
        return chosen_column(known, choice)
    return _as_kind(cells, choice)


def _guess(cells: Cells) -> Column:
    if not cells.observed.size:
        raise _all_missing(cells)
    match cells.stored:
        case "boolean":
            return _boolean(cells, "booleans", (False, True))
        case "integer" if _first_beyond_truths(cells.observed) is None:
            return _boolean(cells, "only 0 and 1", (0, 1))
        case "integer":
            return Column(cells.name, "integer", (), cells.dtype, "whole numbers")
        case "numeric":
            return Column(cells.name, "numeric", (), cells.dtype, "decimal numbers")
        case "datetime":
            return Column(cells.name, "datetime", (), cells.dtype, "dates or times")
    count = len(cells.levels)
    declared = f"{count} declared categories"
    reason = (
        declared
        if cells.is_declared
        else f"text with {count} distinct value{'s' if count != 1 else ''}"
    )
    return _categorical(cells, cells.levels, reason)


def _as_kind(cells: Cells, kind: str) -> Column:
    if kind not in KINDS:
        raise SchemaError(
            f"column {cells.name!r}: unknown kind {kind!r}; known: {', '.join(KINDS)}"
        )
    possible = _fitting_kinds(cells)
    if kind not in possible:
        raise SchemaError(
            f"column {cells.name!r} is stored as {cells.dtype} and cannot be {kind}; "
            f"possible: {', '.join(possible)}. Convert the column first."
        )
    if kind == "boolean":
        return _chosen_boolean(cells)
    if kind == "categorical":
        return _chosen_categorical(cells)
    if kind == "integer":
        _require_whole(cells)
    column = Column(cells.name, kind, (), reason=CALLER)  # type: ignore[arg-type]
    return replace(column, dtype=_dtype(cells, column))


def _fitting_kinds(cells: Cells) -> list[str]:
    """Return the kinds that the cells may be read as."""
    found = {*_FITTING_KINDS[cells.stored], *_FITTING_KINDS[by_content(cells).stored]}
    return [kind for kind in KINDS if kind in found]


def _dtype(cells: Cells, column: Column) -> str:
    """Return the dtype of a column that the user chose; empty if the stored dtype does not fit."""
    return "" if is_misfit(cells, column) else as_kind_needs(cells, column.kind).dtype


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
        if not cells.levels:
            raise _all_missing(cells)
        return _categorical(cells, cells.levels, CALLER)
    distinct = np.unique(cells.observed)
    if not distinct.size:
        raise _all_missing(cells)
    is_whole = by_content(cells).stored == "integer"
    levels = tuple(int(number) if is_whole else number for number in distinct.tolist())
    return _categorical(cells, levels, CALLER)


def _all_missing(cells: Cells) -> TableError:
    return TableError(
        f"every cell of column {cells.name!r} is missing, so its kind is unknown; leave the "
        "column out, or give a Column with its kind, and its levels if it has any, in overrides"
    )


def _boolean(cells: Cells, reason: str, levels: tuple[Level, Level]) -> Column:
    dtype = "" if cells.stored == "empty" else cells.dtype
    return Column(cells.name, "boolean", levels, dtype, reason)


def _categorical(cells: Cells, levels: tuple[Level, ...], reason: str) -> Column:
    return Column(cells.name, "categorical", levels, cells.dtype, reason)


def _first_beyond_truths(observed: Floats) -> float | None:
    beyond = observed[(observed != 0) & (observed != 1)]
    return float(beyond[0]) if beyond.size else None


def _require_whole(cells: Cells) -> None:
    observed = cells.observed
    broken = observed[observed != np.rint(observed)]
    if broken.size:
        raise TableError(f"column {cells.name!r} cannot be integer: it holds {broken[0]:g}")


def _warn_of_text(found: ColumnSummary) -> None:
    if _are_numbers(found.cells):
        shown = ", ".join(repr(level) for level in found.cells.levels[:_SHOWN_NUMBERS])
        warnings.warn(
            f"column {found.cells.name!r} is text that looks like numbers ({shown}, …), and is "
            "taken as categorical; convert it to numbers first",
            NumbersAsTextWarning,
            stacklevel=4,
        )
        return
    n_distinct, n_cells = found.cells.values.size, found.n_observed
    if n_cells >= IDENTIFIER_ROWS and n_distinct >= IDENTIFIER_SHARE * n_cells:
        warnings.warn(
            f"column {found.cells.name!r} holds {n_distinct} different texts in {n_cells} cells: "
            "it looks like an identifier, which nothing can be learnt from; leave it out",
            IdentifierWarning,
            stacklevel=4,
        )


def _are_numbers(cells: Cells) -> bool:
    """Return whether all levels are numbers in an unsupported format."""
    levels = [str(level) for level in cells.levels] if cells.is_text else []
    return (
        len(levels) >= _FEWEST_NUMBERS
        and all(_WRITTEN_NUMBER.fullmatch(level) for level in levels)
        and not all(level.isdecimal() for level in levels)
    )
