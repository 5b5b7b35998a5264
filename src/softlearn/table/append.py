"""Append a column to a frame of any library."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.errors import TableError
from softlearn.table.backend import NativeFrame
from softlearn.table.frames import open_frame

_NUMBERS = "biuf"  # NumPy's letters of dtypes that fit in one array without becoming objects


def append_column(frame: object, name: str, cells: AnyArray) -> NativeFrame:
    """Return the frame with a new last column; the caller's stays as it is.

    The columns of an array have no names, so the name is only for frames. Numbered columns of a
    pandas frame become text, because the new one is.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The table.
    name : str
        The new column's name, which the frame must not have.
    cells : ndarray of shape (rows,)
        Its cells: truth values, numbers or text.
    """
    table = open_frame(frame)
    if name in table.names:
        raise TableError(f"the table already has a column {name!r}")
    if cells.shape != (table.n_rows,):
        raise TableError(f"{table.n_rows} rows need as many cells, not {cells.shape}")
    if table.library == "numpy":
        return _beside(table.native, cells)
    import narwhals as nw  # noqa: PLC0415 - keeps `import softlearn` light

    known = nw.from_native(table.native, eager_only=True)
    new = nw.new_series(name, cells.tolist(), backend=known.implementation)
    return known.with_columns(new).to_native()


def _beside(array: AnyArray, cells: AnyArray) -> AnyArray:
    plain = array.dtype.kind in _NUMBERS and cells.dtype.kind in _NUMBERS
    parts = [array, cells[:, None]]
    return np.concatenate([part if plain else part.astype(object) for part in parts], axis=1)
