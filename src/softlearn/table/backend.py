"""The interface of the modules for each frame library, and the code that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from softlearn.arrays import Bools, Floats
from softlearn.errors import MissingDependencyError, TableError
from softlearn.table.column import Column, Level

# Types of the libraries; these need not be installed, so their types cannot be named.
NativeFrame: TypeAlias = Any
NativeColumn: TypeAlias = Any
NativeDtype: TypeAlias = Any
Library: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Gap:
    """The cells of one column that are to be filled, and their encoded values; NaN elsewhere."""

    column: Column
    position: int  # of the column in the frame
    values: Floats  # (rows,)
    fills: Bools  # (rows,)


class Backend(Protocol):
    """The interface of a library: dtypes as text, and building and filling of columns."""

    def dtype_text(self, dtype: NativeDtype) -> str:
        """Return text from which ``native_dtype`` restores the dtype."""

    def declared_levels(self, column: NativeColumn) -> list[Level]:
        """Return the categories that a native column's dtype promises, in its order."""

    def native_dtype(self, column: Column) -> NativeDtype:
        """Return the dtype that a column remembers."""

    def build_column(self, column: Column, values: Floats, dtype: NativeDtype) -> NativeColumn:
        """Return decoded cells in the dtype, or in the nearest one that can hold them."""

    def fill_column(self, frame: NativeFrame, gap: Gap) -> NativeColumn:
        """Return one of the frame's columns with its gap filled; the dtype stays."""

    def join_columns(self, names: Sequence[str], columns: Sequence[NativeColumn]) -> NativeFrame:
        """Return a new frame."""

    def replace_columns(
        self, frame: NativeFrame, columns: Mapping[int, NativeColumn]
    ) -> NativeFrame:
        """Return the frame with the columns at these positions replaced; the caller's stays."""


def level_codes(column: Column, values: Floats) -> npt.NDArray[np.intp]:
    """Return a discrete column's values as positions in its levels; -1 is missing."""
    codes = np.where(np.isnan(values), -1.0, values)
    wrong = (codes != np.rint(codes)) | (codes >= column.n_levels)
    wrong |= (codes < 0) & ~np.isnan(values)
    if wrong.any():
        raise TableError(f"column {column.name!r} has no level with the code {codes[wrong][0]}")
    return codes.astype(np.intp)


def require_levels(column: Column, codes: npt.NDArray[np.intp], lacking: Bools) -> None:
    """Refuse codes of levels that the dtype lacks, as a frame's own categories may."""
    wanted = np.unique(codes[codes >= 0])
    refused = wanted[lacking[wanted]]
    if refused.size:
        raise TableError(
            f"column {column.name!r} cannot hold {column.levels[refused[0]]!r}: its dtype lacks "
            "that category; add it to the frame's categories first"
        )


def numbers_within(column: Column, values: Floats, dtype: np.dtype[Any]) -> Floats:
    """Return the nearest numbers that the column and the dtype can hold; NaN stays."""
    if np.isinf(values).any():
        raise TableError(f"column {column.name!r} cannot hold an infinite number")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = float(limits.min), float(limits.max)
        if int(high) > limits.max:  # float(2**63 − 1) is 2**63, one too many
            high = float(np.nextafter(high, 0.0))
        return np.clip(np.rint(values), low, high)
    rounded = np.rint(values) if column.kind == "integer" else values
    widest = float(np.finfo(dtype).max)
    return np.clip(rounded, -widest, widest)


def default_dtype(column: Column) -> np.dtype[Any]:
    """Return the plain NumPy dtype for a column without a dtype."""
    if column.is_discrete:
        kinds = {str: "O", bool: "bool", int: "int64", float: "float64"}
        return np.dtype(kinds[type(column.levels[0])])
    return np.dtype({"integer": "int64", "numeric": "float64"}.get(column.kind, "M8[us]"))


def missing_library(name: str) -> MissingDependencyError:
    """Return the error for a frame whose library is not installed."""
    return MissingDependencyError(
        f"the model was fitted on a {name} table and gives {name} back, but {name} is not "
        f"installed; run: pip install {name}"
    )
