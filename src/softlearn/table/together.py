"""Read many columns of a wide table at once, if they need no interpretation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.table.column import LARGEST_EXACT_INTEGER, Column
from softlearn.table.frames import Frame
from softlearn.table.schema import Schema

_FEWEST = 8  # columns; fewer are as fast one by one
_CELLS_AT_ONCE = 1 << 16  # half a megabyte of floats, so that they stay in the cache


def read_together(table: Frame, schema: Schema, encoded: Floats) -> Bools:
    """Write the cells of columns that can be read as a block; return which, (columns,).

    These are stored as plain numbers or booleans, and are numbers, or levels that equal their
    codes. Columns with a cell that does not fit are left to ``encode``, which explains the error.
    """
    done = np.zeros(len(schema), dtype=bool)
    n_codes = np.array([_codes_of(column) for column in schema])
    for block, columns in _blocks(table, schema, n_codes >= 0):
        for some, where in _parts(columns, table.n_rows):
            rows = np.ascontiguousarray(block[:, some].T, dtype=np.float64)
            fits = _fit(rows, n_codes[where], block.dtype.kind)
            encoded[where[fits]] = rows[fits]
            done[where[fits]] = True
    return done


def _codes_of(column: Column) -> int:
    """Return the number of levels if they equal their codes; 0 for numbers, -1 for all others."""
    if column.missing == "modelled" or column.kind == "datetime":
        return -1
    if not column.is_discrete:
        return 0
    return len(column.levels) if column.levels == tuple(range(len(column.levels))) else -1


def _blocks(table: Frame, schema: Schema, plain: Bools) -> Iterator[tuple[AnyArray, Offsets]]:
    """Yield cells of one dtype, (rows, columns), and where in the schema these columns stand."""
    place = {name: i for i, name in enumerate(schema.names) if plain[i]}
    own = np.array([place.get(name, -1) for name in table.names])
    if table.library == "numpy" and table.native.dtype.kind in "biuf":
        wanted = np.flatnonzero(own >= 0)
        if wanted.size >= _FEWEST:
            yield table.native[:, wanted] if wanted.size < own.size else table.native, own[wanted]
    if table.library != "pandas":
        return
    dtypes = table.native.dtypes.tolist()
    for dtype in {one for one in dtypes if isinstance(one, np.dtype) and one.kind in "biuf"}:
        alike = np.array([one == dtype for one in dtypes])
        wanted = np.flatnonzero(alike & (own >= 0))
        if wanted.size >= _FEWEST:
            chosen = table.native if wanted.size == own.size else table.native.iloc[:, wanted]
            yield chosen.to_numpy(), own[wanted]


def _parts(columns: Offsets, n_rows: int) -> Iterator[tuple[slice, Offsets]]:
    step = max(1, _CELLS_AT_ONCE // max(n_rows, 1))
    for at in range(0, columns.size, step):
        some = slice(at, at + step)
        yield some, columns[some]


def _fit(rows: Floats, n_codes: Offsets, kind: str) -> Bools:
    """Return which columns have only valid levels or numbers, (columns,); NaN is missing."""
    if rows.shape[1] == 0:
        return np.ones(rows.shape[0], dtype=bool)
    low, high = np.fmin.reduce(rows, axis=1), np.fmax.reduce(rows, axis=1)
    nothing = np.isnan(low)
    as_levels = (low >= 0.0) & (high < n_codes)
    if kind == "f":
        as_levels &= ((rows == np.rint(rows)) | np.isnan(rows)).all(axis=1)
        as_numbers = np.isfinite(low) & np.isfinite(high)
    else:
        as_numbers = (low >= -LARGEST_EXACT_INTEGER) & (high <= LARGEST_EXACT_INTEGER)
    fits: Bools = nothing | np.where(n_codes > 0, as_levels, as_numbers)
    return fits
