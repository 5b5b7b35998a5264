"""Clustering pass by pass, when the rows lie in several parts.

These are the pieces of ``softlearn.kernels.cluster.clustering`` as separate kernels. They are
compiled for the first slice that is too large to be clustered in one call.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.cluster.clustering import (
    add_rows,
    as_memberships,
    new_scratch,
    pick_row,
    place,
)
from softlearn.kernels.cluster.phases import conclude, conclude_pick, new_state, prepare
from softlearn.kernels.cluster.rows import (
    DONE,
    N_CLUSTERS,
    PHASE,
    PICK,
    ClusterOptions,
    ClusterState,
    PassSums,
    Picked,
    Planes,
    RowData,
    Sums,
)
from softlearn.kernels.compile import allocating_kernel, kernel


@allocating_kernel
def start(shape: RowData, most_clusters: int, options: ClusterOptions) -> ClusterState:
    """Return the state before the first pass; `shape` has the columns, and may have no rows."""
    state = new_state(shape, most_clusters)
    prepare(shape, state, options)
    return state


@allocating_kernel
def pass_over(
    data: RowData, planes: Planes, n_clusters: int, phase: int, pick: np.uint64
) -> tuple[PassSums, Picked]:
    """Return the sums of some rows in a pass."""
    most_clusters, n_features = planes.slope.shape
    n_numbers = planes.numbers.shape[1]
    sums = Sums(
        np.zeros(most_clusters),
        np.zeros((most_clusters, n_features)),
        np.zeros((most_clusters, n_numbers, 3)),
    )
    membership = np.empty((most_clusters, data.weights.size))
    scratch = new_scratch(data, most_clusters)
    value, found, first = np.empty(1), np.zeros(1, np.int64), np.zeros(1, np.uint64)
    value[0] = add_rows(data, planes, n_clusters, sums, membership, phase, scratch)
    levels, means = np.zeros(n_features), np.zeros(n_numbers)
    if phase == PICK:
        row, own = pick_row(data, pick, membership, n_clusters)
        found[0], first[0] = row >= 0, own
        place(data, row, levels, means)
    return PassSums(sums.mass, sums.indicators, sums.numbers, value), Picked(
        found, first, levels, means
    )


@kernel
def advance(
    shape: RowData, state: ClusterState, options: ClusterOptions, sums: PassSums, picked: Picked
) -> None:
    """Go on after a pass of all rows, and prepare the next."""
    control = state.control
    for c in range(sums.mass.size):
        state.sums.mass[c] = sums.mass[c]
        for j in range(sums.indicators.shape[1]):
            state.sums.indicators[c, j] = sums.indicators[c, j]
        for j in range(sums.numbers.shape[1]):
            for k in range(3):
                state.sums.numbers[c, j, k] = sums.numbers[c, j, k]
    if control[PHASE] == PICK:
        n = control[N_CLUSTERS]
        for j in range(picked.levels.size):
            state.levels[n, j] = picked.levels[j]
        for j in range(picked.means.size):
            state.means[n, j] = picked.means[j]
        conclude_pick(state, picked.found[0] > 0)
    else:
        conclude(shape, state, options, sums.value[0])
    if control[DONE] == 0:
        prepare(shape, state, options)


@allocating_kernel
def shares_of(
    data: RowData, planes: Planes, n_clusters: int, phase: int, options: ClusterOptions
) -> Floats:
    """Return the memberships of the rows, (clusters, rows), after the last pass."""
    most_clusters, n_features = planes.slope.shape
    sums = Sums(
        np.zeros(most_clusters),
        np.zeros((most_clusters, n_features)),
        np.zeros((most_clusters, planes.numbers.shape[1], 3)),
    )
    membership = np.empty((most_clusters, data.weights.size))
    scratch = new_scratch(data, most_clusters)
    add_rows(data, planes, n_clusters, sums, membership, phase, scratch)
    as_memberships(membership, n_clusters, phase, options)
    return membership[:n_clusters]
