"""Weighted rows as clustering reads them: indicators of levels, and standardised numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Offsets
from softlearn.kernels.rows import HARD, Clusters, ClusterSums, RowData


@dataclass(frozen=True, eq=False)
class Listing:
    """A 0/1 matrix by its ones: row i has the features ``feature[start[i]:start[i + 1]]``."""

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
        One feature a level, as a float32 matrix (rows, features) or as a listing of the ones.
    groups
        (discrete columns + 1,) where the features of each discrete column begin.
    single
        (discrete columns,) whether a column has one feature, 1 for its second level; such a
        column has two levels and no missing cell.
    numbers
        (rows, numeric columns), standardised; NaN where missing.
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
    def n_columns(self) -> int:
        """Number of columns, discrete and numeric."""
        return int(self.single.size + self.numbers.shape[1])

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

    def new_clusters(self, k: int) -> tuple[Clusters, ClusterSums]:
        """Return clusters that score nothing, and room for what rows bring to them."""
        n_numbers = self.numbers.shape[1]
        clusters = Clusters(
            np.zeros(k),
            np.zeros((k, self.n_features), np.float32),
            np.zeros((k, n_numbers)),
            np.ones((k, n_numbers)),
            np.zeros((k, n_numbers)),
        )
        sums = ClusterSums(
            np.empty((self.n_rows, k)),
            np.zeros(k),
            np.zeros((k, self.n_features)),
            np.zeros((k, n_numbers, 3)),
        )
        return clusters, sums

    def total(self) -> ClusterSums:
        """Return what all rows add up to, as one cluster."""
        from softlearn.kernels.clustering import one_pass  # noqa: PLC0415 - loads Numba

        clusters, sums = self.new_clusters(1)
        one_pass(self.data, clusters, sums, HARD)
        return sums

    def feature_row(self, row: int) -> Floats:
        """Return the indicators of one row."""
        if not isinstance(self.indicators, Listing):
            return np.asarray(self.indicators[row], dtype=np.float64)
        dense = np.zeros(self.n_features)
        start = self.indicators.start
        dense[self.indicators.feature[start[row] : start[row + 1]]] = 1.0
        return dense
