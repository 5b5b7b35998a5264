"""The phases of a clustering pass by pass, and how each uses the sums of the last pass."""

from __future__ import annotations

import numpy as np

from softlearn.kernels.cluster.planes import (
    as_centroids,
    clear,
    copy_first,
    give_the_rest,
    linear,
    maximise,
    move,
    soften,
)
from softlearn.kernels.cluster.rows import (
    DISTANCE,
    DONE,
    EM,
    LLOYD,
    N_CLUSTERS,
    PHASE,
    STEP,
    ClusterOptions,
    ClusterState,
    Planes,
    RowData,
    Sums,
)
from softlearn.kernels.compile import allocating_inner, inner


@allocating_inner
def new_state(data: RowData, most_clusters: int) -> ClusterState:
    """Return the state before the first pass."""
    n_features, n_numbers = data.groups[-1], data.numbers.shape[0]
    shape, moments = (most_clusters, n_features), (most_clusters, n_numbers, 3)
    before = np.empty(1)
    before[0] = -np.inf
    return ClusterState(
        np.zeros(shape),
        np.zeros((most_clusters, n_numbers)),
        Planes(np.zeros(most_clusters), np.zeros(shape), np.zeros(moments)),
        Sums(np.zeros(most_clusters), np.zeros(shape), np.zeros(moments)),
        Sums(np.zeros(1), np.zeros((1, n_features)), np.zeros((1, n_numbers, 3))),
        np.zeros(4, np.int64),
        before,
    )


@inner
def prepare(data: RowData, state: ClusterState, options: ClusterOptions) -> None:
    """Make the planes of the next pass, and clear the sums for it."""
    n_clusters = state.control[N_CLUSTERS]
    if state.control[PHASE] == EM:
        maximise(data, state.sums, state.planes, options, n_clusters)
    else:
        as_centroids(data, state.levels, state.means, state.planes, n_clusters)
    clear(state.sums)


@inner
def conclude_pick(state: ClusterState, found: bool) -> None:
    """Update the state after a pass that picked a row; if one was found, its centroid is set."""
    control, most_clusters = state.control, state.levels.shape[0]
    copy_first(state.sums, state.totals)
    control[N_CLUSTERS] += found
    if found and control[N_CLUSTERS] < most_clusters:
        return
    control[DONE] = control[N_CLUSTERS] < 2
    control[PHASE] = LLOYD


@inner
def conclude(data: RowData, state: ClusterState, options: ClusterOptions, value: float) -> None:
    """Update the state after any other pass; `value` is the sum of scores relative to cluster 0.

    Scores for memberships are relative to cluster 0, whose own score is linear in the totals of all
    rows, and whose sums are the totals minus those of the others. So two clusters need one score
    and one sum per row.
    """
    control, n_clusters = state.control, state.control[N_CLUSTERS]
    if control[PHASE] == DISTANCE:
        control[DONE] = 1
        return
    mean = (value + linear(state.planes, state.totals)) / state.totals.mass[0]
    give_the_rest(data, state.totals, state.sums, n_clusters)
    before = state.before[0]
    state.before[0] = mean
    control[STEP] += 1
    if control[PHASE] == LLOYD:
        move(data, state.sums, state.levels, state.means, n_clusters)
        least = options.kmeans_tolerance * (data.single.size + data.numbers.shape[0])
        if control[STEP] >= options.kmeans_iterations or mean - before <= least:
            soften(state.sums, state.totals, options.sharpness, n_clusters)
            control[PHASE] = EM if options.em_iterations > 0 else DISTANCE
            control[STEP] = 0
            state.before[0] = -np.inf
    else:
        least = options.em_tolerance * max(1.0, abs(mean))
        control[DONE] = control[STEP] >= options.em_iterations or mean - before < least
