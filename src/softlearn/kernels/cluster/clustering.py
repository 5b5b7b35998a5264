"""Weighted k-means and EM: score every cluster, share each row out, add up what it brings.

It is one loop around one pass over the rows, whatever the pass is for: each function here has one
caller and is compiled into it, once. Kernels call it by ``softlearn.kernels.cluster.by_address``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softlearn.arrays import AnyArray, Floats, Kinds
from softlearn.kernels.cluster.blocks import APART, BLOCK, add_block, score_block
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
    DIFFERENT,
    ClusterOptions,
    Planes,
    RowData,
    Sums,
)
from softlearn.kernels.cluster.softmax import exponentials, logarithms
from softlearn.kernels.compile import inner

# What a pass is for.
_PICK = 0  # squared distances to the rows picked so far; all rows are added up
_LLOYD = 1  # each row goes to the nearest centroid
_EM = 2  # each row is shared out by the softmax of its scores
_DISTANCE = 3  # squared distances to the centroids

_FAR = np.float32(2.0**100)  # scores beyond this are cut, so that their differences are numbers


def cluster(
    data: RowData, uniforms: Floats, options: ClusterOptions, stop: Kinds, membership: Floats
) -> int:
    """Cluster the rows; return how many clusters there are, at most one per uniform number.

    The numbers pick the rows to start from. `membership`, (clusters, rows), is the result; if
    fewer than two rows differ there is none. k-means comes first; if asked for, EM follows. Once
    `stop`, (1,), is not zero, there are no clusters.
    """
    shape = (uniforms.size, data.groups[-1])
    n_numbers = data.numbers.shape[0]
    # Centroids: the share of each level and the mean of each number.
    levels, means = np.zeros(shape), np.zeros((uniforms.size, n_numbers))
    planes = Planes(np.zeros(uniforms.size), np.zeros(shape), np.zeros((shape[0], n_numbers, 3)))
    sums = Sums(np.zeros(uniforms.size), np.zeros(shape), np.zeros((shape[0], n_numbers, 3)))
    totals = Sums(np.zeros(1), np.zeros((1, shape[1])), np.zeros((1, n_numbers, 3)))
    least_fall = options.kmeans_tolerance * (data.single.size + n_numbers)
    zero: Any = np.int64(0)  # for a plain constant all functions below would be compiled apart
    phase, n_clusters, step, before = zero + _PICK, zero, 0, -np.inf
    while True:
        if phase == _EM:
            maximise(data, sums, planes, options, n_clusters)
        else:
            as_centroids(data, levels, means, planes, n_clusters)
        value = _pass(data, planes, n_clusters, totals, sums, membership, phase)
        if stop[0] != 0:
            return 0
        step += 1
        if phase == _PICK:
            row = _pick(data, uniforms[n_clusters], membership, n_clusters)
            if row >= 0:
                _place(data, row, levels, means, n_clusters)
                n_clusters += 1
            if row >= 0 and n_clusters < uniforms.size:
                continue
            if n_clusters < 2:
                return int(n_clusters)
            phase, step, before = _LLOYD, 0, -np.inf
        elif phase == _LLOYD:
            move(data, sums, levels, means, n_clusters)
            if step >= options.kmeans_iterations or value - before <= least_fall:
                soften(sums, totals, options.sharpness, n_clusters)
                phase, step, value = _EM if options.em_iterations > 0 else _DISTANCE, 0, -np.inf
            before = value
        elif phase == _EM:
            least = options.em_tolerance * max(1.0, abs(value))
            if step >= options.em_iterations or value - before < least:
                break
            before = value
        else:
            _by_distance(membership, n_clusters, options.beta)
            break
    if not options.soft:
        _round_to_best(membership, n_clusters)
    return int(n_clusters)


@inner
def _pass(
    data: RowData,
    planes: Planes,
    n_clusters: int,
    totals: Sums,
    sums: Sums,
    membership: Floats,
    phase: int,
) -> float:
    """Score all rows, share them out and add them up; return the mean of their best scores.

    In EM that is the mean log-likelihood. Scores that are shared out are taken relative to cluster
    0, whose own part is linear in what all rows add up to, and it gets what the others leave. So
    two clusters cost one score and one sum per row.
    """
    clear(sums)
    value = add_rows(data, planes, n_clusters, sums, membership, phase)
    if phase in (_LLOYD, _EM):
        value += linear(planes, totals)
        give_the_rest(data, totals, sums, n_clusters)
    else:
        copy_first(sums, totals)
    mean: float = value / totals.mass[0]
    return mean


@inner
def add_rows(
    data: RowData, planes: Planes, n_clusters: int, sums: Sums, membership: Floats, phase: int
) -> float:
    """Score some rows, share them out and add them to the sums; return what their scores add to.

    If rows are shared out, cluster 0 is left out of both; else cluster 0 gets all rows.
    """
    weights, is_relative = data.weights, phase in (_LLOYD, _EM)
    skipped, n_features = 1 if is_relative else 0, planes.slope.shape[1]
    slope = _slopes(planes, n_clusters, is_relative)
    scores = np.zeros((max(n_clusters, 1), BLOCK), np.float32)
    n_added = n_clusters - 1 if is_relative else 1
    apart = np.zeros((n_added, APART, n_features + 1 if data.levels.shape[0] > 0 else 0))
    top, logs, part = np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32), np.empty(BLOCK)
    value = 0.0
    for first in range(0, weights.size, BLOCK):
        # Views spare each index the question whether it is negative; so loops become vector code.
        end = min(first + BLOCK, weights.size)
        n, weight = end - first, weights[first:end]
        for c in range(skipped, n_clusters):
            score_block(data, planes, slope, c, is_relative, first, n, scores[c])
        if is_relative:
            _relate_to_best(scores, top, n)
            if phase == _EM:
                _soft_block(scores, first, n, membership, logs)
            else:
                _hard_block(scores, first, n, membership)
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
            add_block(data, part, skipped + k, first, n, apart[k], sums)
    if data.levels.shape[0] > 0:
        for k in range(n_added):
            for p in range(APART):
                for j in range(n_features):
                    sums.indicators[skipped + k, j] += apart[k, p, j]
    return value


@inner
def _slopes(planes: Planes, n_clusters: int, is_relative: bool) -> AnyArray:
    """Return the slopes, relative to cluster 0 or not, and one more that is zero."""
    n_features = planes.slope.shape[1]
    slope = np.zeros((n_clusters, n_features + 1), np.float32)
    for c in range(n_clusters):
        for j in range(n_features):
            slope[c, j] = planes.slope[c, j] - (planes.slope[0, j] if is_relative else 0.0)
    return slope


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
def _soft_block(scores: AnyArray, first: int, n: int, membership: Floats, logs: AnyArray) -> None:
    """Write the softmax of the scores, and the logarithm of what it is divided by."""
    shares, total = np.empty(scores.shape, np.float32), np.zeros(BLOCK, np.float32)
    bits, total_bits = shares.view(np.int32), total.view(np.int32)
    exact = np.zeros(n)
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
    logarithms(total, total_bits, logs, n)


@inner
def _hard_block(scores: AnyArray, first: int, n: int, membership: Floats) -> None:
    """Give each row to the first of its best clusters."""
    for r in range(n):
        found = False
        for c in range(scores.shape[0]):
            is_best = not found and scores[c, r] == 0.0
            membership[c, first + r] = 1.0 if is_best else 0.0
            found = found or is_best


@inner
def _pick(data: RowData, u: float, distance: Floats, n: int) -> int:
    """Return a random row that differs from the n picked before; -1 if none does.

    All rows have the same chance, whatever they weigh: on dna that is worth 0.3 nats a row.
    """
    weights = data.weights
    is_open, n_open = np.empty(weights.size, np.bool_), 0
    for i in range(weights.size):
        is_open[i] = weights[i] > 0.0
        for c in range(n):
            is_open[i] &= distance[c, i] > DIFFERENT
        n_open += is_open[i]
    place, row = int(u * n_open), -1
    for i in range(weights.size):
        if is_open[i] and place >= 0:
            row = i
            place -= 1
    return row


@inner
def _place(data: RowData, row: int, levels: Floats, means: Floats, k: int) -> None:
    """Put centroid k on a row."""
    for j in range(data.dense.shape[0]):
        levels[k, j] = data.dense[j, row]
    if data.feature.size > 0:
        for e in range(data.start[row], data.start[row + 1]):
            levels[k, data.feature[e]] = 1.0
    for j in range(data.levels.shape[0]):
        if data.levels[j, row] < levels.shape[1]:
            levels[k, data.levels[j, row]] = 1.0
    for j in range(means.shape[1]):
        z = data.numbers[j, row]
        means[k, j] = z if z == z else 0.0


@inner
def _by_distance(membership: Floats, n_clusters: int, beta: float) -> None:
    """Make memberships of squared distances: softmax of −beta × share of distance."""
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
