"""What every data frame library's module offers, and the arithmetic that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softlearn.arrays import Bools, Floats
from softlearn.errors import MissingDependencyError, TableError
from softlearn.table.column import Column
from softlearn.table.schema import Schema


@dataclass(frozen=True, slots=True)
class Gap:
    """The missing cells of one column, and the encoded values to fill them with.

    ``retypes`` means that no cell is observed and the frame's dtype cannot hold the values, so that
    the column takes the dtype that the schema remembers.
    """

    column: Column
    values: Floats  # (rows,)
    missing: Bools  # (rows,)
    retypes: bool


class Wing(Protocol):
    """One library: dtypes to text and back, and frames built and filled."""

    def dtype_text(self, dtype: Any) -> str:  # noqa: ANN401 - each library has its own dtype class
        """Return text from which ``build_frame`` makes the dtype again."""

    def build_frame(self, schema: Schema, values: Floats) -> Any:  # noqa: ANN401
        """Return a new frame with the decoded values of shape (columns, rows)."""

    def fill_frame(self, frame: Any, gaps: Sequence[Gap]) -> Any:  # noqa: ANN401
        """Return a copy of the frame with its gaps filled."""


def level_codes(column: Column, values: Floats) -> npt.NDArray[np.intp]:
    """Return a discrete column's values as positions in its levels; -1 is missing."""
    codes = np.where(np.isnan(values), -1.0, values)
    wrong = (codes != np.rint(codes)) | (codes >= column.n_levels)
    wrong |= (codes < 0) & ~np.isnan(values)
    if wrong.any():
        raise TableError(f"column {column.name!r} has no level with the code {codes[wrong][0]}")
    return codes.astype(np.intp)


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
    """Return the plain NumPy dtype for a column that remembers none."""
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
