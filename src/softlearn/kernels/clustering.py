"""Weighted k-means and EM: score every cluster, share each row out, add up what it brings."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Offsets
from softlearn.kernels.compile import kernel
from softlearn.kernels.rows import HARD, SCORE, SOFT, Clusters, ClusterSums, RowData

_ROWS_TOGETHER = 128  # rows whose single-precision sums are added before they move to float64


@kernel
def one_pass(data: RowData, clusters: Clusters, sums: ClusterSums, mode: int) -> float:
    """Share all rows out among the clusters and add up what they bring.

    Memberships go to ``sums.membership`` (scores, if that is the mode); what comes back is the
    weighted sum of the rows' log-scores (SOFT) or of their best scores.
    """
    dense, start, feature, slope = data.dense, data.start, data.feature, clusters.slope
    n_clusters, n_rows = clusters.base.size, data.weights.size
    n_features, is_dense = slope.shape[1], data.dense.shape[0] > 0
    score = np.empty(n_clusters)
    partial = np.zeros((n_clusters, n_features), np.float32)
    _clear(sums)
    total = 0.0
    for i in range(n_rows):
        for c in range(n_clusters):
            dot = np.float32(0.0)
            if is_dense:
                for j in range(n_features):
                    dot += dense[i, j] * slope[c, j]
            else:
                for e in range(start[i], start[i + 1]):
                    dot += slope[c, feature[e]]
            score[c] = clusters.base[c] + dot
        _score_numbers(data.numbers, i, clusters, score)
        total += data.weights[i] * _share(score, sums.membership, i, mode)
        if mode == SCORE:
            continue
        _add_numbers(data.numbers, i, data.weights[i], sums)
        for c in range(n_clusters):
            part = np.float32(sums.membership[i, c] * data.weights[i])
            if is_dense:
                for j in range(n_features):
                    partial[c, j] += part * dense[i, j]
            else:
                for e in range(start[i], start[i + 1]):
                    sums.indicators[c, feature[e]] += part
        if is_dense and ((i + 1) % _ROWS_TOGETHER == 0 or i + 1 == n_rows):
            for c in range(n_clusters):
                for j in range(n_features):
                    sums.indicators[c, j] += partial[c, j]
                    partial[c, j] = 0.0
    return total


@kernel
def lloyd(
    data: RowData, clusters: Clusters, sums: ClusterSums, levels: Floats, max_iter: int, tol: float
) -> None:
    """Improve centroids: `levels` holds the share of each level, `clusters.mean` the numbers."""
    before = -np.inf
    for _ in range(max_iter):
        as_centroids(data, levels, clusters)
        score = one_pass(data, clusters, sums, HARD)
        for c in range(sums.mass.size):
            for g in range(data.single.size):
                first, last = data.groups[g], data.groups[g + 1]
                total = sums.mass[c]
                if not data.single[g]:
                    total = 0.0
                    for j in range(first, last):
                        total += sums.indicators[c, j]
                for j in range(first, last):
                    if total > 0.0:  # a cluster without rows stays where it is
                        levels[c, j] = sums.indicators[c, j] / total
            for j in range(data.numbers.shape[1]):
                if sums.numbers[c, j, 0] > 0.0:
                    clusters.mean[c, j] = sums.numbers[c, j, 1] / sums.numbers[c, j, 0]
        if score - before <= tol:
            break
        before = score
    as_centroids(data, levels, clusters)


@kernel
def as_centroids(data: RowData, levels: Floats, clusters: Clusters) -> None:
    """Make the score of each cluster minus the squared distance to its centroid.

    (x − c)² = c² + x (1 − 2c) for a single indicator; half the squared distance of two one-hot
    vectors otherwise, where a row without a level adds nothing.
    """
    for c in range(levels.shape[0]):
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
def _clear(sums: ClusterSums) -> None:
    for c in range(sums.mass.size):
        sums.mass[c] = 0.0
        for j in range(sums.indicators.shape[1]):
            sums.indicators[c, j] = 0.0
        for j in range(sums.numbers.shape[1]):
            for k in range(3):
                sums.numbers[c, j, k] = 0.0


@kernel
def _score_numbers(numbers: Floats, i: int, clusters: Clusters, score: Floats) -> None:
    """Add the numeric columns to the scores; a missing number says nothing."""
    for j in range(numbers.shape[1]):
        z = numbers[i, j]
        if z == z:  # not NaN
            for c in range(score.size):
                gap = z - clusters.mean[c, j]
                score[c] += clusters.height[c, j] - clusters.sharpness[c, j] * gap * gap


@kernel
def _share(score: Floats, membership: Floats, i: int, mode: int) -> float:
    """Write row i's memberships; return the log-sum of the scores, or the best one."""
    best = 0
    for c in range(1, score.size):
        if score[c] > score[best]:
            best = c
    top: float = score[best]
    if mode != SOFT:
        for c in range(score.size):
            one = 1.0 if c == best else 0.0
            membership[i, c] = score[c] if mode == SCORE else one
        return top
    total = 0.0
    for c in range(score.size):
        score[c] = 1.0 if c == best else math.exp(score[c] - top)
        total += score[c]
    for c in range(score.size):
        membership[i, c] = score[c] / total
    return top + math.log(total)


@kernel
def _add_numbers(numbers: Floats, i: int, weight: float, sums: ClusterSums) -> None:
    """Add a row's weight and numbers to each cluster's sums."""
    for c in range(sums.mass.size):
        part = sums.membership[i, c] * weight
        sums.mass[c] += part
        for j in range(numbers.shape[1]):
            z = numbers[i, j]
            if z == z:
                sums.numbers[c, j, 0] += part
                sums.numbers[c, j, 1] += part * z
                sums.numbers[c, j, 2] += part * z * z


@kernel
def pair_sums(row_start: Offsets, feature: Ids, weights: Floats, out: Floats) -> None:
    """Add each row's weight to every pair of features that it has, out (features, features)."""
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            for f in range(row_start[i], row_start[i + 1]):
                out[feature[e], feature[f]] += weights[i]


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
