"""Open frames: recognise their library, and read their names and cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.errors import NotATableError, SoftlearnError, TableError
from softlearn.table import on_numpy, on_pandas, on_polars, on_pyarrow
from softlearn.table.backend import Backend, NativeFrame
from softlearn.table.cells import Cells, read_array, read_series
from softlearn.table.partitioned import is_partitioned

BACKENDS: dict[str, Backend] = {
    "pandas": on_pandas,
    "polars": on_polars,
    "pyarrow": on_pyarrow,
    "numpy": on_numpy,
}


@dataclass(frozen=True)
class Frame:
    """A user's frame with distinct text names; it is never changed."""

    native: NativeFrame
    library: str
    names: tuple[str, ...]
    n_rows: int
    numbered: bool = False  # whether the caller's names are whole numbers; here they are text

    def cells(self, name: str) -> Cells:
        """Read one column."""
        if self.library == "numpy":
            return read_array(name, self._rows[self.names.index(name)])
        backend = BACKENDS[self.library]
        column = self._narwhals.get_column(name)
        native = column.to_native()
        dtype = backend.dtype_text(native.type if self.library == "pyarrow" else native.dtype)
        try:
            return read_series(name, dtype, column, backend.declared_levels(native))
        except SoftlearnError:
            raise
        except Exception as error:  # every library has its own exceptions
            raise TableError(
                f"column {name!r} has the type {dtype}, which {self.library} cannot convert; "
                f"store it in another type ({error})"
            ) from error

    @cached_property
    def _rows(self) -> AnyArray:
        # One transposed copy: columns of a wide matrix are slow to read one by one.
        return np.ascontiguousarray(self.native.T)

    @cached_property
    def _narwhals(self) -> NativeFrame:
        import narwhals as nw  # noqa: PLC0415 - keeps `import softlearn` light

        return nw.from_native(self.native, eager_only=True)


def open_frame(frame: object, names: Sequence[str] | None = None) -> Frame:
    """Return the frame with what is needed to read it.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The caller's table.
    names : sequence of str, optional
        Names for a NumPy array's columns; by default "0", "1" and so on.
    """
    import narwhals.dependencies as known  # noqa: PLC0415 - keeps `import softlearn` light

    if isinstance(frame, np.ndarray):
        return _open_array(frame, names)
    if known.is_pandas_dataframe(frame):
        return _open_pandas(frame)
    if known.is_polars_dataframe(frame):
        return _open_named(frame, "polars", frame.columns)
    if known.is_pyarrow_table(frame):
        return _open_named(frame, "pyarrow", frame.column_names)
    raise NotATableError(
        f"a table is a pandas or polars DataFrame, a pyarrow Table or a 2-D NumPy array, "
        f"not {_type_name(frame)}; {_way_out(frame)}"
    )


def _type_name(frame: object) -> str:
    module, name = type(frame).__module__, type(frame).__name__
    return name if module == "builtins" else f"{module}.{name}"


def _way_out(frame: object) -> str:
    """Return advice how to convert an object that is not a table."""
    if hasattr(frame, "toarray"):
        return "sparse data is not read, call .toarray() first"
    if is_partitioned(frame):
        return "call .compute() first if it fits into memory: few questions take it in partitions"
    return "call .collect() first" if hasattr(frame, "collect") else "convert it first"


def _open_pandas(frame: NativeFrame) -> Frame:
    """Open a pandas frame; whole numbers as names, as of ``pd.DataFrame(array)``, become text."""
    names = list(frame.columns)
    numbered = bool(names) and all(_is_whole(name) for name in names)
    if not numbered:
        return _open_named(frame, "pandas", names)
    texts = [str(name) for name in names]
    return replace(_open_named(frame.set_axis(texts, axis=1), "pandas", texts), numbered=True)


def _is_whole(name: object) -> bool:
    return isinstance(name, int | np.integer) and not isinstance(name, bool)


def _open_named(frame: NativeFrame, library: str, names: list[Any]) -> Frame:
    strangers = [name for name in names if not isinstance(name, str)]
    if strangers:
        raise TableError(
            f"column names must be text, or all whole numbers, not {strangers[0]!r}; "
            "for pandas: frame.columns = frame.columns.map(str)"
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(f"column {repeated[0]!r} occurs more than once; rename one of them")
    return Frame(frame, library, tuple(names), frame.shape[0])


def _open_array(array: AnyArray, names: Sequence[str] | None) -> Frame:
    if isinstance(array, np.ma.MaskedArray):
        raise TableError("masked arrays are not read; use array.astype(float).filled(numpy.nan)")
    if array.dtype.names is not None:
        raise TableError("structured arrays are not read; make the array a pandas DataFrame first")
    if array.ndim != 2:
        one = "array.reshape(-1, 1) for one column, array.reshape(1, -1) for one row"
        remedy = one if array.ndim == 1 else "array.reshape(len(array), -1) keeps the rows"
        raise TableError(
            f"a NumPy table has 2 dimensions (rows, columns), not {array.ndim}. "
            f"Reshape your data: {remedy}"
        )
    n_rows, n_columns = array.shape
    if names is not None and len(names) != n_columns:
        raise TableError(
            f"the array has {n_columns} columns and the schema {len(names)}; the columns of an "
            "array are matched by position, so it needs all of them (NaN for missing cells)"
        )
    return Frame(np.asarray(array), "numpy", tuple(names or map(str, range(n_columns))), n_rows)
