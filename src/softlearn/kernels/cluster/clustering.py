"""Weighted k-means and EM: score every cluster, assign each row, and add up statistics.

It is one loop around one pass over the rows, for all purposes of a pass: each function here has one
caller and is compiled into it once. Kernels call it by ``softlearn.kernels.cluster.by_address``.
The sums of passes over parts of the rows can be added, so rows may be in several places; see
``softlearn.stats.clusters``.
"""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Floats, Kinds, States
from softlearn.kernels.cluster.blocks import APART, BLOCK, add_block, score_block
from softlearn.kernels.cluster.phases import conclude, conclude_pick, new_state, prepare
from softlearn.kernels.cluster.rows import (
    DIFFERENT,
    DISTANCE,
    DONE,
    EM,
    LLOYD,
    N_CLUSTERS,
    PHASE,
    PICK,
    ClusterOptions,
    ClusterState,
    Planes,
    RowData,
    RowsToCluster,
    Scratch,
    Sums,
)
from softlearn.kernels.cluster.softmax import exponentials, logarithms
from softlearn.kernels.compile import allocating_inner, inner
from softlearn.kernels.seeds import mixed

_FAR = np.float32(2.0**100)  # scores are clipped at this, so that their differences are finite


def cluster(
    rows: RowsToCluster, picks: States, options: ClusterOptions, stop: Kinds, membership: Floats
) -> int:
    """Cluster the rows; return how many clusters there are, at most one per pick.

    The picks choose the rows to start from. `membership`, (clusters, rows), is the result; if
    fewer than two rows differ there is none. k-means comes first; if asked for, EM follows. Once
    `stop`, (1,), is not zero, there are no clusters.
    """
    state, scratch = new_state(rows.core, picks.size), new_scratch(rows.core, picks.size)
    return _cluster_with(rows, state, scratch, picks, options, stop, membership)


@inner
def _cluster_with(
    rows: RowsToCluster,
    state: ClusterState,
    scratch: Scratch,
    picks: States,
    options: ClusterOptions,
    stop: Kinds,
    membership: Floats,
) -> int:
    core, every = rows.core, rows.every
    while state.control[DONE] == 0:
        prepare(core, state, options)
        phase, n_clusters = state.control[PHASE], state.control[N_CLUSTERS]
        planes, sums = state.planes, state.sums
        value = add_rows(core, planes, n_clusters, sums, membership, phase, scratch)
        if stop[0] != 0:
            return 0
        if phase == PICK:
            row, _ = pick_row(core, picks[n_clusters], membership, n_clusters)
            place(core, row, state.levels[n_clusters], state.means[n_clusters])
            conclude_pick(state, row >= 0)
        else:
            conclude(core, state, options, value)
    n_clusters = state.control[N_CLUSTERS]
    if n_clusters > 1:
        phase = state.control[PHASE]
        if core.weights.size < every.weights.size:
            add_rows(every, state.planes, n_clusters, state.sums, membership, phase, scratch)
        as_memberships(membership, n_clusters, phase, options)
    return int(n_clusters)


@inner
def as_memberships(
    membership: Floats, n_clusters: int, phase: int, options: ClusterOptions
) -> None:
    """Convert the output of the last pass, of this phase, to memberships."""
    if phase == DISTANCE:
        _by_distance(membership, n_clusters, options.beta)
    if not options.soft:
        _round_to_best(membership, n_clusters)


@inner
def add_rows(
    data: RowData,
    planes: Planes,
    n_clusters: int,
    sums: Sums,
    membership: Floats,
    phase: int,
    scratch: Scratch,
) -> float:
    """Score some rows, assign them and add them to the sums; return the sum of their scores.

    If rows are assigned, cluster 0 is left out of both; else cluster 0 gets all rows.
    """
    weights, is_relative = data.weights, phase in (LLOYD, EM)
    skipped = 1 if is_relative else 0
    n_added = n_clusters - 1 if is_relative else 1
    slope, scores = scratch.slope, scratch.scores[: max(n_clusters, 1)]
    top, logs, part = scratch.top, scratch.logs, scratch.part
    _prepare_scratch(planes, n_clusters, is_relative, scratch)
    value = 0.0
    for first in range(0, weights.size, BLOCK):
        # With views, indices need no check whether they are negative, so loops are vectorised.
        end = min(first + BLOCK, weights.size)
        n, weight = end - first, weights[first:end]
        for c in range(skipped, n_clusters):
            score_block(data, planes, slope, c, is_relative, first, n, scores[c])
        if is_relative:
            _relate_to_best(scores, top, n)
            if phase == EM:
                _soft_block(scores, first, n, membership, scratch)
            else:
                _hard_block(scores, first, n, membership, scratch)
            for r in range(n):
                value += weight[r] * (top[r] + logs[r])
        else:
            for c in range(n_clusters):
                distance, score = membership[c, first:end], scores[c]
                for r in range(n):
                    distance[r] = min(max(-score[r], np.float32(0.0)), _FAR)
        for k in range(n_added):
            for r in range(n):
                part[r] = weight[r]
            if is_relative:
                share = membership[k + 1, first:end]
                for r in range(n):
                    part[r] *= share[r]
            add_block(data, scratch, skipped + k, first, n, sums)
    for k in range(n_added if data.levels.shape[0] > 0 else 0):
        for j in range(planes.slope.shape[1]):
            for p in range(APART):
                sums.indicators[skipped + k, j] += scratch.apart[skipped + k, p, j]
    return value


@allocating_inner
def new_scratch(data: RowData, most_clusters: int) -> Scratch:
    """Allocate the scratch arrays that all passes of a clustering reuse."""
    n_features = data.groups[-1] + 1
    n_apart = n_features if data.levels.shape[0] > 0 else 0
    return Scratch(
        np.zeros((most_clusters, n_features), np.float32),
        np.zeros((most_clusters, BLOCK), np.float32),
        np.zeros((most_clusters, BLOCK), np.float32),
        np.zeros(BLOCK, np.float32),
        np.zeros(BLOCK, np.float32),
        np.zeros(BLOCK, np.float32),
        np.zeros(BLOCK, np.float32),
        np.zeros(BLOCK),
        np.zeros(BLOCK),
        np.zeros((most_clusters, APART, n_apart)),
    )


@inner
def _prepare_scratch(planes: Planes, n_clusters: int, is_relative: bool, scratch: Scratch) -> None:
    """Write the slopes, relative to cluster 0 or not, and clear the sums."""
    for c in range(n_clusters):
        for j in range(planes.slope.shape[1]):
            own = planes.slope[c, j] - (planes.slope[0, j] if is_relative else 0.0)
            scratch.slope[c, j] = own
    for c in range(scratch.apart.shape[0]):
        for p in range(APART):
            for j in range(scratch.apart.shape[2]):
                scratch.apart[c, p, j] = 0.0


@inner
def _relate_to_best(scores: AnyArray, top: AnyArray, n: int) -> None:
    """Subtract each row's best score, which goes to `top`; that of cluster 0 is zero."""
    for r in range(n):
        scores[0, r] = 0.0
        top[r] = 0.0
    for c in range(1, scores.shape[0]):
        for r in range(n):
            scores[c, r] = min(max(scores[c, r], -_FAR), _FAR)
            top[r] = max(top[r], scores[c, r])
    for c in range(scores.shape[0]):
        for r in range(n):
            scores[c, r] -= top[r]


@inner
def _soft_block(scores: AnyArray, first: int, n: int, membership: Floats, scratch: Scratch) -> None:
    """Write the softmax of the scores, and the logarithm of its denominator."""
    shares, total, exact = scratch.shares, scratch.total, scratch.exact
    bits, total_bits = shares.view(np.int32), total.view(np.int32)
    for r in range(n):
        total[r] = 0.0
        exact[r] = 0.0
    for c in range(scores.shape[0]):
        exponentials(scores[c], shares[c], bits[c], n)
        share = shares[c]
        for r in range(n):
            total[r] += share[r]
            exact[r] += share[r]
    for r in range(n):
        exact[r] = 1.0 / exact[r]
    for c in range(scores.shape[0]):
        share, out = shares[c], membership[c, first : first + n]
        for r in range(n):
            out[r] = share[r] * exact[r]
    logarithms(total, total_bits, scratch.logs, n)


@inner
def _hard_block(scores: AnyArray, first: int, n: int, membership: Floats, scratch: Scratch) -> None:
    """Give each row to the first of its best clusters."""
    free, nothing = scratch.total, np.float32(0.0)
    for r in range(n):
        free[r] = 1.0
    for c in range(scores.shape[0]):
        score, out = scores[c], membership[c, first : first + n]
        for r in range(n):
            own = free[r] if score[r] == 0.0 else nothing
            out[r] = own
            free[r] -= own


@inner
def pick_row(data: RowData, pick: np.uint64, distance: Floats, n: int) -> tuple[int, np.uint64]:
    """Return the first row, by pick, that differs from the n picked before, and its place.

    It is -1 if there is none. The order of rows is a hash of their cells and the pick, so the same
    row is first wherever rows are stored. All rows have the same probability, whatever their
    weight: on dna that is worth 0.3 nats per row.
    """
    weights, keys = data.weights, data.keys
    row, first = -1, np.uint64(0)
    for i in range(weights.size):
        is_open = weights[i] > 0.0
        for c in range(n):
            is_open &= distance[c, i] > DIFFERENT
        if is_open:
            own = mixed(keys[i] + pick)
            if row < 0 or own < first:
                row, first = i, own
    return row, first


@inner
def place(data: RowData, row: int, levels: Floats, means: Floats) -> None:
    """Place a centroid on a row, if there is one."""
    if row < 0:
        return
    for j in range(data.dense.shape[0]):
        levels[j] = data.dense[j, row]
    if data.feature.size > 0:
        for e in range(data.start[row], data.start[row + 1]):
            levels[data.feature[e]] = 1.0
    for j in range(data.levels.shape[0]):
        if data.levels[j, row] < levels.size:
            levels[data.levels[j, row]] = 1.0
    for j in range(means.size):
        z = data.numbers[j, row]
        means[j] = z if z == z else 0.0


@inner
def _by_distance(membership: Floats, n_clusters: int, beta: float) -> None:
    """Convert squared distances to memberships: softmax of −beta × share of distance."""
    for i in range(membership.shape[1]):
        nearest, total = np.inf, 0.0
        for c in range(n_clusters):
            membership[c, i] = math.sqrt(membership[c, i])
            nearest = min(nearest, membership[c, i])
            total += membership[c, i]
        share = 0.0
        for c in range(n_clusters):
            away = (membership[c, i] - nearest) / total if total > 0.0 else 0.0
            membership[c, i] = math.exp(-beta * away)
            share += membership[c, i]
        for c in range(n_clusters):
            membership[c, i] /= share


@inner
def _round_to_best(membership: Floats, n_clusters: int) -> None:
    """Give each row to the first of its best clusters."""
    for i in range(membership.shape[1]):
        best = 0
        for c in range(1, n_clusters):
            if membership[c, i] > membership[best, i]:
                best = c
        for c in range(n_clusters):
            membership[c, i] = 1.0 if c == best else 0.0
