"""Cluster rows in several parts: each pass computes sums for every part and merges them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Kinds, States
from softlearn.kernels.cluster.rows import (
    DONE,
    N_CLUSTERS,
    PHASE,
    ClusterOptions,
    PassSums,
    Picked,
    Planes,
    RowData,
)
from softlearn.kernels.grow.work import GrowTable
from softlearn.stats.merging import added
from softlearn.stats.parts import Held, Parts


class Clusters(NamedTuple):
    """How a pass assigns rows to clusters."""

    planes: Planes
    n_clusters: int
    phase: int


def clusters_of(
    parts: Parts,
    data: Held,
    shape: RowData,
    *,
    picks: States,
    options: ClusterOptions,
    stop: Kinds,
) -> Clusters | None:
    """Cluster rows as ``softlearn.stats.clustering.memberships`` does; None if all are alike.

    Parameters
    ----------
    parts
        Where the rows are.
    data
        The ``RowData`` of each bucket.
    shape
        ``RowData`` over the same columns, which may have no rows.
    picks
        (clusters,) seeds that choose the rows to start from.
    options
        How to cluster.
    stop
        (1,) once it is not zero, there are no clusters.
    """
    from softlearn.kernels.cluster.passes import advance, start  # noqa: PLC0415 - loads Numba

    state = start(shape, picks.size, options)
    control = state.control
    while not control[DONE] and not stop[0]:
        now = Clusters(state.planes, int(control[N_CLUSTERS]), int(control[PHASE]))
        pick = picks[min(now.n_clusters, picks.size - 1)]
        sums, picked = parts.total(_pass, _merged, data, given=(now, pick))
        advance(shape, state, options, sums, picked)
    if stop[0] or control[N_CLUSTERS] < 2:
        return None
    return Clusters(state.planes, int(control[N_CLUSTERS]), int(control[PHASE]))


def _pass(
    table: GrowTable, data: RowData, now: Clusters, pick: np.uint64
) -> tuple[PassSums, Picked]:
    from softlearn.kernels.cluster.passes import pass_over  # noqa: PLC0415 - loads Numba

    return pass_over(data, *now, pick)


def _merged(a: tuple[PassSums, Picked], b: tuple[PassSums, Picked]) -> tuple[PassSums, Picked]:
    """Merge the sums of two parts; of their candidate rows the one with the lower place is kept."""
    (sums, picked), (other_sums, other) = a, b
    is_other = other.found[0] and not (picked.found[0] and picked.first[0] <= other.first[0])
    return PassSums(*added(sums, other_sums)), other if is_other else picked
