"""Numbers about the cells of a frame, as a frame of the same kind."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError
from softlearn.table.backend import NativeFrame
from softlearn.table.encode import require_columns
from softlearn.table.frames import BACKENDS, open_frame
from softlearn.table.schema import Schema


def numbers_like(frame: object, schema: Schema, values: Floats) -> NativeFrame:
    """Return float columns with the names, order and, for pandas, the index of a frame.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The table that the numbers are about.
    schema : Schema
        The columns, in the order of ``values``.
    values : ndarray of shape (columns, rows)
        Any floats; infinite ones and NaN stay what they are.
    """
    table = open_frame(frame, schema.names)
    require_columns(table, schema)
    if values.shape != (len(schema), table.n_rows):
        raise SchemaError(f"expected {(len(schema), table.n_rows)} numbers, got {values.shape}")
    if table.library == "numpy":
        return np.ascontiguousarray(values.T)
    names = [name for name in table.names if name in schema.names]
    rows = [np.ascontiguousarray(values[schema.index(name)]) for name in names]
    made = BACKENDS[table.library].join_columns(names, rows)
    if table.numbered:
        made = made.set_axis(map(int, names), axis=1)
    return made.set_axis(table.native.index, axis=0) if table.library == "pandas" else made
