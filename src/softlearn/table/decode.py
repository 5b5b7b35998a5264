"""Decode values to a frame of the original library and dtypes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError, SoftlearnError
from softlearn.table.backend import Backend, Gap, NativeColumn, NativeFrame
from softlearn.table.column import Column
from softlearn.table.content import as_kind_needs, is_misfit
from softlearn.table.encode import require_columns
from softlearn.table.frames import BACKENDS, open_frame
from softlearn.table.iso import IsoForm
from softlearn.table.schema import Schema
from softlearn.table.storage import form_of, storage_of


def decode(values: Floats, schema: Schema) -> NativeFrame:
    """Return a frame with the decoded values, of the schema's library and dtypes.

    Parameters
    ----------
    values : ndarray of shape (columns, rows)
        Values as ``encode`` gives them; NaN becomes a missing cell.
    schema : Schema
        What the columns are, and how they were stored.

    Returns
    -------
    pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        Integers are rounded, and numbers outside the dtype's range become its nearest. A dtype that
        cannot hold a missing cell widens: to pandas' nullable dtype, or to float in NumPy.
    """
    _check_shape(values, (len(schema), values.shape[-1]))
    backend = BACKENDS[schema.frame]
    columns = []
    for about, coded in zip(schema, values, strict=True):
        column, row = _observed(about, coded)
        with _naming(column):
            columns.append(_built(backend, column, row))
    frame = backend.join_columns(schema.names, columns)
    return frame.set_axis(map(int, schema.names), axis=1) if schema.numbered else frame


def fill(frame: object, schema: Schema, values: Floats) -> NativeFrame:
    """Return the frame with its missing cells replaced by decoded values.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The table with missing cells; it is not changed. It may have further columns.
    schema : Schema
        What the columns are.
    values : ndarray of shape (columns, rows)
        A value for every cell of the schema's columns; where it is NaN the cell stays missing.

    Returns
    -------
    object
        A frame of the same library with the observed cells, further columns, order, index and
        dtypes of the given one. Only a column without any observed cell whose dtype cannot hold
        the values takes the dtype that the schema remembers.
    """
    table = open_frame(frame, schema.names)
    require_columns(table, schema)
    _check_shape(values, (len(schema), table.n_rows))
    backend = BACKENDS[table.library]
    filled = {}
    for about, coded in zip(schema, values, strict=True):
        column, row = _observed(about, coded)
        cells = as_kind_needs(table.cells(column.name), column.kind)
        fills = np.isnan(cells.values) & ~np.isnan(row)
        if not fills.any():
            continue
        with _naming(column):
            position = table.names.index(column.name)
            if table.library != "numpy" and is_misfit(cells, column):
                known = column if schema.frame == table.library else replace(column, dtype="")
                filled[position] = _built(backend, known, row)
                continue
            own = replace(column, dtype=cells.dtype) if cells.observed.size else column
            spelt, numbers = _as_text(own, np.where(fills, row, np.nan))
            filled[position] = backend.fill_column(frame, Gap(spelt, position, numbers, fills))
    return backend.replace_columns(frame, filled)


def _observed(column: Column, values: Floats) -> tuple[Column, Floats]:
    """Return a column with modelled missing cells as one without, and these cells as NaN."""
    if column.missing != "modelled":
        return column, values
    if not column.is_discrete:
        plain = replace(column, missing="unobserved")
        return plain, np.where(np.isposinf(values), np.nan, values)
    plain = replace(column, missing="unobserved", levels=column.levels[:-1])
    return plain, np.where(values == column.n_levels - 1, np.nan, values)


def _built(backend: Backend, column: Column, values: Floats) -> NativeColumn:
    """Return decoded cells in the storage and format of the original column."""
    column, values = _as_text(column, values)
    stored = replace(column, dtype=storage_of(column.dtype))
    return backend.build_column(column, values, backend.native_dtype(stored))


def _as_text(column: Column, values: Floats) -> tuple[Column, Floats]:
    """Return times that were stored as text as labels; other columns unchanged."""
    form = IsoForm.parse(form_of(column.dtype)) if column.kind == "datetime" else None
    if form is None:
        return column, values
    known = ~np.isnan(values)
    texts, places = np.unique(form.written(values[known]), return_inverse=True)
    codes = np.full_like(values, np.nan)
    codes[known] = places
    levels = tuple(texts.tolist()) or (str(form),)  # a column of labels has at least one
    return Column(column.name, "categorical", levels, storage_of(column.dtype)), codes


def _check_shape(values: Floats, expected: tuple[int, int]) -> None:
    if values.shape != expected:
        raise SchemaError(
            f"expected values of shape {expected} (columns, rows), got {values.shape}"
        )


@contextmanager
def _naming(column: Column) -> Iterator[None]:
    """Convert errors of a library about a column's dtype into one that names the column."""
    try:
        yield
    except SoftlearnError:
        raise
    except Exception as error:  # every library has its own exceptions
        raise SchemaError(
            f"column {column.name!r} ({column.kind}) cannot be stored as it was: {error}"
        ) from error
