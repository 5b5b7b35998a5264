"""Weighted rows as clustering reads them: indicators of levels, and standardised numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.kernels.cluster.rows import RowData

# Beyond this weight single precision no longer tells apart a row more or less.
_HEAVY = 2.0**20


@dataclass(frozen=True, eq=False)
class Listing:
    """A 0/1 matrix by its ones: row i has the features ``feature[start[i]:start[i + 1]]``.

    The features of a row are in ascending order.
    """

    start: Offsets  # (rows + 1,)
    feature: Ids


_NO_MATRIX: AnyArray = np.zeros((0, 0), np.float32)
_NO_LISTING = Listing(np.zeros(1, np.int64), np.zeros(0, np.int32))


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Some rows of a table over some of its columns.

    Attributes
    ----------
    weights
        (rows,) how much each row counts.
    indicators
        One feature a level, as a float32 matrix (features, rows) or as a listing of the ones.
    groups
        (discrete columns + 1,) where the features of each discrete column begin.
    single
        (discrete columns,) whether a column has one feature, 1 for its second level; such a
        column has two levels and no missing cell.
    numbers
        (numeric columns, rows), standardised; NaN where missing.
    """

    weights: Floats
    indicators: AnyArray | Listing
    groups: Offsets
    single: Bools
    numbers: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.weights.size)

    @property
    def n_features(self) -> int:
        """Number of indicators."""
        return int(self.groups[-1])

    @property
    def is_binary(self) -> bool:
        """Whether all columns have two levels, and no cell is missing."""
        return self.numbers.shape[0] == 0 and bool(self.single.all())

    @property
    def data(self) -> RowData:
        """The rows as the kernels read them."""
        dense, listing = _NO_MATRIX, _NO_LISTING
        if isinstance(self.indicators, Listing):
            listing = self.indicators
        else:
            dense = self.indicators
        rest = (self.numbers, self.weights, self.groups, self.single)
        return RowData(dense, listing.start, listing.feature, *rest)

    def feature_weights(self) -> Floats:
        """Return the weight of the rows that have each indicator, (features,)."""
        from softlearn.kernels.grow.slices import column_sums  # noqa: PLC0415 - loads Numba

        data, found = self.data, np.zeros(self.n_features)
        column_sums(data.dense, data.start, data.feature, data.weights, found)
        return found

    def pair_weights(self) -> AnyArray:
        """Return the weight of the rows that have both of two indicators, (features, features).

        Of a pair, only the entry in the later feature's row is sure to be filled in.
        """
        from softlearn.kernels.grow.slices import pair_sums  # noqa: PLC0415 - loads Numba

        if isinstance(self.indicators, Listing):
            both = np.zeros((self.n_features, self.n_features))
            pair_sums(self.indicators.start, self.indicators.feature, self.weights, both)
            return both
        dtype = np.float32 if self.weights.sum() < _HEAVY else np.float64
        weighted = self.indicators * self.weights.astype(dtype)
        return np.asarray(weighted @ self.indicators.T, dtype=np.float64)
