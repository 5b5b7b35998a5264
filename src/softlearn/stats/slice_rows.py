"""The rows of a large slice in parts: their weight, memberships and leaf statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.cluster.rows import ClusterOptions, RowData
from softlearn.kernels.grow.work import N_MOMENTS, GrowTable
from softlearn.leaf import GaussianStats
from softlearn.stats.clusters import Clusters
from softlearn.stats.groups import merged_moments
from softlearn.stats.layout import Layout
from softlearn.stats.merging import added
from softlearn.stats.parts import Held, Parts, Share


class Weighed(NamedTuple):
    """The size of a slice."""

    n_rows: int
    mass: float
    squares: float  # Σ w² / a row's own weight


class ClusterSizes(NamedTuple):
    """The size of each cluster."""

    n_rows: Offsets  # (clusters,)
    mass: Floats  # (clusters,) of all rows, kept or not
    n_cells: Offsets  # (clusters, columns) of the rows kept, in columns with gaps


@dataclass(frozen=True, eq=False)
class SliceRows:
    """The rows of a large slice over some columns.

    Attributes
    ----------
    parts
        Where the rows are.
    shares
        The ``Share`` of the slice in each bucket.
    columns
        The columns of the slice.
    """

    parts: Parts
    shares: Held
    columns: Ids

    @cached_property
    def data(self) -> Held:
        """The rows of each bucket as clustering reads them."""
        return self.parts.each(_taken, self.shares, given=(self.columns,))

    def core(self, least: float) -> SliceRows:
        """Return the rows with more than a share of their original weight; all if none has."""
        shares = self.parts.each(_core, self.shares, given=(least,))
        core = SliceRows(self.parts, shares, self.columns)
        return core if core.weighed().n_rows else self

    def weighed(self) -> Weighed:
        """Return how many rows there are, and what they weigh."""
        (found,) = self.parts.total(_weigh, added, self.shares)
        return Weighed(int(found[0]), float(found[1]), float(found[2]))

    def memberships(self, clusters: Clusters, options: ClusterOptions) -> Held:
        """Compute the memberships of the rows, which stay in their buckets."""
        return self.parts.each(_memberships, self.data, given=(clusters, options))

    def sizes(self, memberships: Held, min_weight: float) -> ClusterSizes:
        """Return the sizes of the clusters."""
        given = (self.columns, min_weight)
        (found,) = self.parts.total(_weigh_clusters, added, self.shares, memberships, given=given)
        n_rows, n_cells = found[:, 0].astype(np.int64), found[:, 2:].astype(np.int64)
        return ClusterSizes(n_rows, np.where(n_rows > 0, found[:, 1], 0.0), n_cells)

    def carried_on(self, memberships: Held, cluster: int, min_weight: float) -> Held:
        """Return the rows of a cluster with their shares."""
        return self.parts.each(_carried_on, self.shares, memberships, given=(cluster, min_weight))

    def statistics(self, which: Bools, layout: Layout) -> Floats:
        """Return the concatenated statistics of leaves over some of the columns."""
        columns = self.columns[which]
        ends = np.cumsum(layout.n_statistics[columns])
        first = ends - layout.n_bins[columns] - N_MOMENTS
        moments = first[layout.number_of[columns] >= 0]
        merge = partial(_merged_statistics, moments=moments)
        given = (self.columns, which)
        return self.parts.total(_statistics, merge, self.data, self.shares, given=given)


def _taken(table: GrowTable, share: Share, columns: Ids) -> RowData:
    from softlearn.kernels.grow.from_python import take_rows  # noqa: PLC0415 - loads Numba

    return take_rows(table, share.rows, share.weights, columns)


def _core(table: GrowTable, share: Share, least: float) -> Share:
    is_core = share.weights > least * table.weights[share.rows]
    return Share(share.rows[is_core], share.weights[is_core])


def _weigh(table: GrowTable, share: Share) -> tuple[Floats]:
    from softlearn.kernels.grow.part import weigh  # noqa: PLC0415 - loads Numba

    return (weigh(table, share.rows, share.weights),)


def _memberships(
    table: GrowTable, data: RowData, clusters: Clusters, options: ClusterOptions
) -> Floats:
    from softlearn.kernels.cluster.passes import shares_of  # noqa: PLC0415 - loads Numba

    return shares_of(data, *clusters, options)


def _weigh_clusters(
    table: GrowTable, share: Share, membership: Floats, columns: Ids, min_weight: float
) -> tuple[Floats]:
    from softlearn.kernels.grow.part import weigh_clusters  # noqa: PLC0415 - loads Numba

    return (weigh_clusters(table, *share, columns, membership, min_weight),)


def _carried_on(
    table: GrowTable, share: Share, membership: Floats, cluster: int, min_weight: float
) -> Share:
    from softlearn.kernels.grow.from_python import kept_rows  # noqa: PLC0415 - loads Numba

    rows, weights, _ = kept_rows(*share, membership[cluster], table.weights, min_weight)
    return Share(rows, weights)


def _statistics(
    table: GrowTable, data: RowData, share: Share, columns: Ids, which: Bools
) -> Floats:
    from softlearn.kernels.grow.part import statistics_of  # noqa: PLC0415 - loads Numba

    return statistics_of(table, data, *share, columns, which)


def _merged_statistics(a: Floats, b: Floats, moments: Offsets) -> Floats:
    """Return the merged statistics: weights add up, and moments begin at these places."""
    found = a + b
    at = moments[:, None] + np.arange(N_MOMENTS)
    found[at] = merged_moments(GaussianStats(*a[at].T), GaussianStats(*b[at].T))
    return found
