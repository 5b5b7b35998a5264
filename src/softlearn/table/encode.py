"""A frame as an array of floats, one row per column of the schema; NaN is unobserved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import TableError
from softlearn.table.cells import Cells, mixed_zones
from softlearn.table.column import Column
from softlearn.table.content import NUMBERS, as_kind_needs
from softlearn.table.frames import Frame, open_frame
from softlearn.table.iso import read_iso
from softlearn.table.schema import Schema
from softlearn.table.times import zone_of
from softlearn.table.together import read_together
from softlearn.table.value import check_zone, decode_value, unknown_level, wrong_value


def encode(
    frame: object,
    schema: Schema,
    *,
    unknown: Literal["error", "missing"] = "error",
    extra: Literal["error", "ignore"] = "error",
    gaps: Literal["as_schema", "unobserved"] = "as_schema",
    absent: Literal["error", "unobserved"] = "error",
) -> Floats:
    """Return the cells of a frame as floats.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        Named columns in any order; the columns of an array are matched by position.
    schema : Schema
        What the columns are.
    unknown : {"error", "missing"}
        Whether a level that the schema does not know is an error or taken as unobserved.
    extra : {"error", "ignore"}
        Whether named columns that the schema does not know are refused or left out.
    gaps : {"as_schema", "unobserved"}
        Whether a missing cell of a column whose missing cells are modelled is a value, or
        unobserved as in all other columns.
    absent : {"error", "unobserved"}
        Whether a column that the frame lacks is an error or taken as unobserved in every row.

    Returns
    -------
    ndarray of shape (columns, rows)
        Codes of levels, numbers (an integer column takes any number), seconds since 1970-01-01 UTC;
        NaN where the cell is unobserved. A missing cell that is modelled is the last level, or
        infinity among numbers.
    """
    if unknown not in ("error", "missing"):
        raise TableError(f"unknown must be 'error' or 'missing', not {unknown!r}")
    if extra not in ("error", "ignore"):
        raise TableError(f"extra must be 'error' or 'ignore', not {extra!r}")
    table = open_frame(frame, schema.names)
    if absent == "error":
        require_columns(table, schema)
    if extra == "error":
        _refuse_extra(table.names, schema)
    encoded = np.empty((len(schema), table.n_rows))
    done, names = read_together(table, schema, encoded), set(table.names)
    for position in np.flatnonzero(~done).tolist():
        row, column = encoded[position], schema.columns[position]
        if column.name not in names:
            row[:] = np.nan
            continue
        cells = table.cells(column.name)
        row[:] = _encode_column(column, cells, unknown)
        if column.missing == "modelled" and gaps == "as_schema":
            row[np.isnan(cells.values)] = column.missing_code
    return encoded


def unknown_cells(frame: object, schema: Schema) -> Bools:
    """Return which cells hold a level that the schema does not know, (columns, rows)."""
    table = open_frame(frame, schema.names)
    require_columns(table, schema)
    unknown = np.zeros((len(schema), table.n_rows), dtype=bool)
    for row, column in zip(unknown, schema, strict=True):
        if column.is_discrete:
            cells = table.cells(column.name)
            if cells.observed.size:
                row[:] = np.isnan(_codes(column, cells)) & ~np.isnan(cells.values)
    return unknown


def require_columns(table: Frame, schema: Schema) -> None:
    """Refuse a frame without one of the schema's columns."""
    there = set(table.names)
    for name in schema.names:
        if name not in there:
            raise TableError(
                f"the table has no column {name!r}; add it, with missing cells if it is unknown"
            )


def _refuse_extra(names: Sequence[str], schema: Schema) -> None:
    extra = sorted(set(names) - set(schema.names))
    if extra:
        raise TableError(
            f"the table has the column {extra[0]!r} ({len(extra)} more than the schema); "
            "leave it out, or pass extra='ignore'"
        )


def _encode_column(column: Column, cells: Cells, unknown: str) -> Floats:
    if not cells.observed.size:
        return cells.values
    if column.is_discrete:
        codes = _codes(column, cells)
        strangers = np.isnan(codes) & ~np.isnan(cells.values)
        if unknown == "error" and strangers.any():
            raise unknown_level(column, _shown(cells, int(np.argmax(strangers))))
        return codes
    cells = as_kind_needs(cells, column.kind)
    wanted = ("datetime",) if column.kind == "datetime" else NUMBERS
    if cells.stored not in wanted:
        noun = "dates or datetimes" if column.kind == "datetime" else "numbers"
        raise wrong_value(column, _first_misfit(column, cells), noun)
    if column.kind == "datetime":
        check_zone(column, zone_of(cells.dtype) is not None)
    return cells.values


def _codes(column: Column, cells: Cells) -> Floats:
    """Return the codes of the column's levels; NaN where a cell is missing or unknown."""
    if cells.stored == "categorical":
        code_of = {level: float(code) for code, level in enumerate(column.levels)}
        table = np.array([code_of.get(level, np.nan) for level in cells.levels])
        return cells.look_up(table)
    if cells.stored not in NUMBERS or isinstance(column.levels[0], str):
        return np.full_like(cells.values, np.nan)
    levels = np.array(column.levels, dtype=np.float64)
    order = np.argsort(levels)
    places = np.minimum(np.searchsorted(levels, cells.values, sorter=order), levels.size - 1)
    codes = order[places]
    return np.where(levels[codes] == cells.values, codes, np.nan)


def _first_misfit(column: Column, cells: Cells) -> object:
    """Return the first cell that a column cannot hold, for a message."""
    misfits = ~np.isnan(cells.values)
    if column.kind == "datetime" and cells.is_text:
        is_time = np.array([float(read_iso([str(level)]) is not None) for level in cells.levels])
        misfits &= cells.look_up(is_time) == 0.0
        if not misfits.any():
            raise mixed_zones(column.name)
    return _shown(cells, int(np.argmax(misfits)))


def _shown(cells: Cells, row: int) -> object:
    """Return the cell as it was in the frame, for a message."""
    if cells.stored == "empty":
        return None
    return decode_value(
        Column(cells.name, cells.stored, cells.levels, cells.dtype), cells.values[row]
    )
