"""Weighted k-means and EM: score every cluster, share each row out, add up what it brings."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets
from softlearn.kernels.compile import kernel
from softlearn.kernels.rows import DIFFERENT, HARD, SCORE, SOFT, Clusters, ClusterSums, RowData

_ROWS_TOGETHER = 128  # rows whose single-precision sums are added before they move to float64


@kernel
def one_pass(data: RowData, clusters: Clusters, sums: ClusterSums, mode: int) -> float:
    """Share all rows out among the clusters and add up what they bring.

    Memberships go to ``sums.membership`` (scores, if that is the mode); what comes back is the
    weighted sum of the rows' log-scores (SOFT) or of their best scores.
    """
    # Arrays are taken out of their tuples once: each look-up counts references.
    dense, start, feature, numbers = data.dense, data.start, data.feature, data.numbers
    weights, base, slope, mean = data.weights, clusters.base, clusters.slope, clusters.mean
    sharpness, height, membership = clusters.sharpness, clusters.height, sums.membership
    mass, indicators, moments = sums.mass, sums.indicators, sums.numbers
    n_clusters, n_features, n_numbers = base.size, slope.shape[1], numbers.shape[1]
    is_dense = dense.shape[0] > 0
    partial = np.zeros((n_clusters, n_features), np.float32)
    _clear(mass, indicators, moments)
    total = 0.0
    for i in range(weights.size):
        best = 0
        for c in range(n_clusters):
            score = base[c]
            if is_dense:
                score += _dot(dense, i, slope, c)
            else:
                for e in range(start[i], start[i + 1]):
                    score += slope[c, feature[e]]
            if n_numbers > 0:
                score += _parabolas(numbers, i, mean, sharpness, height, c)
            membership[i, c] = score
            if score > membership[i, best]:
                best = c
        top = membership[i, best]
        if mode == SCORE:
            continue
        share = 1.0
        if mode == SOFT:
            share = 0.0
            for c in range(n_clusters):
                membership[i, c] = 1.0 if c == best else math.exp(membership[i, c] - top)
                share += membership[i, c]
            top += math.log(share)
        total += weights[i] * top
        for c in range(n_clusters):
            hard = 1.0 if c == best else 0.0
            own = membership[i, c] / share if mode == SOFT else hard
            membership[i, c] = own
            part = own * weights[i]
            mass[c] += part
            if is_dense:
                _add_row(partial, c, np.float32(part), dense, i)
            else:
                for e in range(start[i], start[i + 1]):
                    indicators[c, feature[e]] += part
            if n_numbers > 0:
                _add_numbers(moments, c, part, numbers, i)
        if is_dense and ((i + 1) % _ROWS_TOGETHER == 0 or i + 1 == weights.size):
            _flush(partial, indicators)
    return total


@kernel
def _dot(dense: AnyArray, i: int, slope: AnyArray, c: int) -> np.float32:
    total = np.float32(0.0)
    for j in range(slope.shape[1]):
        total += dense[i, j] * slope[c, j]
    return total


@kernel
def _add_row(partial: AnyArray, c: int, part: np.float32, dense: AnyArray, i: int) -> None:
    for j in range(partial.shape[1]):
        partial[c, j] += part * dense[i, j]


@kernel
def _flush(partial: AnyArray, indicators: Floats) -> None:
    """Move single-precision sums to where they are kept."""
    for c in range(partial.shape[0]):
        for j in range(partial.shape[1]):
            indicators[c, j] += partial[c, j]
            partial[c, j] = 0.0


@kernel
def _parabolas(
    numbers: Floats, i: int, mean: Floats, sharpness: Floats, height: Floats, c: int
) -> float:
    """Return the part of a score that numbers make; a missing one, NaN, says nothing."""
    score = 0.0
    for j in range(numbers.shape[1]):
        gap = numbers[i, j] - mean[c, j]
        if gap == gap:
            score += height[c, j] - sharpness[c, j] * gap * gap
    return score


@kernel
def _add_numbers(moments: Floats, c: int, part: float, numbers: Floats, i: int) -> None:
    for j in range(numbers.shape[1]):
        z = numbers[i, j]
        if z == z:
            moments[c, j, 0] += part
            moments[c, j, 1] += part * z
            moments[c, j, 2] += part * z * z


@kernel
def kmeans(
    data: RowData,
    clusters: Clusters,
    sums: ClusterSums,
    levels: Floats,
    uniforms: Floats,
    max_iter: int,
    tol: float,
) -> int:
    """Find centroids: `levels` holds the share of each level, `clusters.mean` the numbers.

    Each uniform number picks a row to start from, by weight, among those that differ from the
    rows picked before. If there are too few of them, their number comes back and no more is done.
    """
    n_clusters, picked, n_moves, before = uniforms.size, 0, 0, -np.inf
    while n_moves < max_iter:
        _as_centroids(data, levels, clusters, picked)
        for c in range(picked, n_clusters):
            clusters.base[c] = -np.inf
        # The only call of the pass: a second one would be compiled a second time.
        score = one_pass(data, clusters, sums, HARD if picked == n_clusters else SCORE)
        if picked < n_clusters:
            if not _pick_row(data, clusters, sums, levels, picked, uniforms[picked]):
                return picked
            picked += 1
            continue
        _move(data, clusters, sums, levels)
        n_moves += 1
        if score - before <= tol:
            break
        before = score
    _as_centroids(data, levels, clusters, n_clusters)
    return n_clusters


@kernel
def _pick_row(
    data: RowData, clusters: Clusters, sums: ClusterSums, levels: Floats, k: int, u: float
) -> bool:
    """Make a random row centroid k; return whether a row differs from the centroids before it.

    `sums.membership` holds the scores of centroids 0:k, minus the squared distances.
    """
    scores, weights, dense = sums.membership, data.weights, data.dense
    total = 0.0
    for i in range(weights.size):
        nearest = -np.inf
        for c in range(k):
            nearest = max(nearest, scores[i, c])
        scores[i, 0] = weights[i] if -nearest > DIFFERENT else 0.0  # from now on, its chance
        total += scores[i, 0]
    if total <= 0.0:
        return False
    left, row = u * total, -1
    for i in range(weights.size):
        if scores[i, 0] > 0.0:
            row = i
            left -= scores[i, 0]
            if left < 0.0:
                break
    for j in range(levels.shape[1]):
        levels[k, j] = dense[row, j] if dense.shape[0] > 0 else 0.0
    if dense.shape[0] == 0:
        for e in range(data.start[row], data.start[row + 1]):
            levels[k, data.feature[e]] = 1.0
    for j in range(data.numbers.shape[1]):
        z = data.numbers[row, j]
        clusters.mean[k, j] = z if z == z else 0.0
    return True


@kernel
def _move(data: RowData, clusters: Clusters, sums: ClusterSums, levels: Floats) -> None:
    """Move each centroid to the mean of its rows; a cluster without rows stays where it is."""
    for c in range(sums.mass.size):
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            total = sums.mass[c]
            if not data.single[g]:
                total = 0.0
                for j in range(first, last):
                    total += sums.indicators[c, j]
            for j in range(first, last):
                if total > 0.0:
                    levels[c, j] = sums.indicators[c, j] / total
        for j in range(data.numbers.shape[1]):
            if sums.numbers[c, j, 0] > 0.0:
                clusters.mean[c, j] = sums.numbers[c, j, 1] / sums.numbers[c, j, 0]


@kernel
def _as_centroids(data: RowData, levels: Floats, clusters: Clusters, n: int) -> None:
    """Make the score of the first n clusters minus the squared distance to their centroids.

    (x − c)² = c² + x (1 − 2c) for a single indicator; half the squared distance of two one-hot
    vectors otherwise, where a row without a level adds nothing.
    """
    for c in range(n):
        clusters.base[c] = 0.0
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            square = 0.0
            for j in range(first, last):
                square += levels[c, j] * levels[c, j]
            if data.single[g]:
                clusters.base[c] -= square
            for j in range(first, last):
                one_hot = levels[c, j] - 0.5 * (1.0 + square)
                clusters.slope[c, j] = 2.0 * levels[c, j] - 1.0 if data.single[g] else one_hot


@kernel
def em(
    data: RowData,
    clusters: Clusters,
    sums: ClusterSums,
    smoothing: float,
    floors: tuple[float, float],
    max_iter: int,
    tol: float,
) -> bool:
    """Improve a mixture that begins with `sums`; return False if a component dies out.

    `floors` are the smallest probability of a level and the smallest deviation of a number.
    """
    mass = 0.0
    for i in range(data.weights.size):
        mass += data.weights[i]
    before = -np.inf
    for _ in range(max_iter):
        for c in range(sums.mass.size):
            if sums.mass[c] <= 0.0:
                return False
        _maximise(data, sums, clusters, smoothing, floors)
        value = one_pass(data, clusters, sums, SOFT) / mass
        if value - before < tol * max(1.0, abs(value)):
            break
        before = value
    return True


@kernel
def _maximise(
    data: RowData,
    sums: ClusterSums,
    clusters: Clusters,
    smoothing: float,
    floors: tuple[float, float],
) -> None:
    """Fit each component to its sums, priors in proportion to mass."""
    mass = 0.0
    for c in range(sums.mass.size):
        mass += sums.mass[c]
    for c in range(sums.mass.size):
        base = math.log(sums.mass[c] / mass)
        for g in range(data.single.size):
            first, last = data.groups[g], data.groups[g + 1]
            total = sums.mass[c] + 2.0 * smoothing
            if not data.single[g]:
                total = (last - first) * smoothing
                for j in range(first, last):
                    total += sums.indicators[c, j]
            for j in range(first, last):
                p = (sums.indicators[c, j] + smoothing) / total if total > 0.0 else 0.5
                p = min(max(p, floors[0]), 1.0 - floors[0])
                clusters.slope[c, j] = math.log(p)
                if data.single[g]:
                    clusters.slope[c, j] -= math.log1p(-p)
                    base += math.log1p(-p)
        clusters.base[c] = base
        for j in range(data.numbers.shape[1]):
            seen = sums.numbers[c, j, 0]
            if seen <= 0.0:
                continue
            mean = sums.numbers[c, j, 1] / seen
            variance = max(sums.numbers[c, j, 2] / seen - mean * mean, floors[1] * floors[1])
            clusters.mean[c, j] = mean
            clusters.sharpness[c, j] = 0.5 / variance
            clusters.height[c, j] = -0.5 * math.log(2.0 * math.pi * variance)


@kernel
def _clear(mass: Floats, indicators: Floats, moments: Floats) -> None:
    for c in range(mass.size):
        mass[c] = 0.0
        for j in range(indicators.shape[1]):
            indicators[c, j] = 0.0
        for j in range(moments.shape[1]):
            for k in range(3):
                moments[c, j, k] = 0.0


@kernel
def pair_sums(row_start: Offsets, feature: Ids, weights: Floats, out: Floats) -> None:
    """Add each row's weight to every pair of features that it has, out (features, features)."""
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            for f in range(row_start[i], row_start[i + 1]):
                out[feature[e], feature[f]] += weights[i]


@kernel
def gather(indicators: Kinds, rows: Ids, features: Ids, out: AnyArray) -> None:
    """Copy some rows and features of a matrix into out, float32."""
    for i in range(rows.size):
        for j in range(features.size):
            out[i, j] = indicators[rows[i], features[j]]


@kernel
def select(
    row_start: Offsets, feature: Ids, rows: Ids, new_feature: Ids
) -> tuple[Offsets, AnyArray]:
    """Return some rows and features of a listing; new_feature is -1 for those left out."""
    start = np.empty(rows.size + 1, np.int64)
    start[0] = 0
    for i in range(rows.size):
        n = 0
        for e in range(row_start[rows[i]], row_start[rows[i] + 1]):
            n += new_feature[feature[e]] >= 0
        start[i + 1] = start[i] + n
    chosen = np.empty(start[rows.size], np.int32)
    at = 0
    for i in range(rows.size):
        for e in range(row_start[rows[i]], row_start[rows[i] + 1]):
            if new_feature[feature[e]] >= 0:
                chosen[at] = new_feature[feature[e]]
                at += 1
    return start, chosen
