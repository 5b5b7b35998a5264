"""Weighted rows as clustering reads them: indicators of levels, and standardised numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.kernels.rows import Clusters, ClusterSums


@dataclass(frozen=True, eq=False)
class Listing:
    """A 0/1 matrix by its ones: row i has the features ``feature[start[i]:start[i + 1]]``."""

    start: Offsets  # (rows + 1,)
    feature: AnyArray  # int32


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
        return self.weights.size

    @property
    def n_features(self) -> int:
        """Number of indicators."""
        return int(self.groups[-1])

    @property
    def n_columns(self) -> int:
        """Number of columns, discrete and numeric."""
        return self.single.size + self.numbers.shape[1]

    def one_pass(self, clusters: Clusters, mode: int) -> tuple[ClusterSums, float]:
        """Share all rows out among the clusters; see ``softlearn.kernels.clustering``."""
        from softlearn.kernels.clustering import pass_dense, pass_sparse  # noqa: PLC0415 - Numba

        k = clusters.base.size
        sums = ClusterSums(
            np.empty((self.n_rows, k)),
            np.zeros(k),
            np.zeros((k, self.n_features)),
            np.zeros((k, self.numbers.shape[1], 3)),
        )
        if isinstance(self.indicators, Listing):
            listing = (self.indicators.start, self.indicators.feature)
            total = pass_sparse(*listing, self.numbers, self.weights, clusters, sums, mode)
        else:
            total = pass_dense(self.indicators, self.numbers, self.weights, clusters, sums, mode)
        return sums, total

    def feature_rows(self, rows: list[int]) -> Floats:
        """Return the indicators of a few rows as a dense matrix."""
        if not isinstance(self.indicators, Listing):
            return self.indicators[rows].astype(np.float64)
        dense = np.zeros((len(rows), self.n_features))
        for i, row in enumerate(rows):
            own = slice(self.indicators.start[row], self.indicators.start[row + 1])
            dense[i, self.indicators.feature[own]] = 1.0
        return dense

    def group_sums(self, per_feature: Floats) -> Floats:
        """Add up the features of each column, (..., discrete columns)."""
        if self.groups.size == 1:
            return np.zeros((*per_feature.shape[:-1], 0))
        return np.add.reduceat(per_feature, self.groups[:-1], axis=-1)

    def per_feature(self, per_column: AnyArray) -> AnyArray:
        """Repeat each discrete column's entry for all its features, along the last axis."""
        return np.repeat(per_column, np.diff(self.groups), axis=-1)
