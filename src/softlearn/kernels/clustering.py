"""One pass over weighted rows: score every cluster, share the row out, add up what it brings."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.kernels.compile import kernel
from softlearn.kernels.rows import SCORE, SOFT, Clusters, ClusterSums

_ROWS_TOGETHER = 128  # rows whose single-precision sums are added before they move to float64


@kernel
def pass_dense(
    indicators: AnyArray,
    numbers: Floats,
    weights: Floats,
    clusters: Clusters,
    sums: ClusterSums,
    mode: int,
) -> float:
    """Do one pass over rows whose indicators are a float32 matrix, (rows, features).

    The memberships of each row go to ``sums.membership``; what comes back is the weighted sum of
    the rows' log-scores (SOFT), or of the best scores (HARD). SCORE writes the scores themselves
    and adds nothing up.
    """
    n_rows, n_features = indicators.shape
    n_clusters = clusters.base.size
    score = np.empty(n_clusters)
    total = 0.0
    partial = np.zeros((n_clusters, n_features), np.float32)
    for i in range(n_rows):
        x = indicators[i]
        for c in range(n_clusters):
            slope = clusters.slope[c]
            dot = np.float32(0.0)
            for j in range(n_features):
                dot += x[j] * slope[j]
            score[c] = clusters.base[c] + dot
        _score_numbers(numbers, i, clusters, score)
        total += weights[i] * _share(score, sums.membership, i, mode)
        if mode == SCORE:
            continue
        _add_numbers(numbers, i, weights[i], sums)
        for c in range(n_clusters):
            part = np.float32(sums.membership[i, c] * weights[i])
            target = partial[c]
            for j in range(n_features):
                target[j] += part * x[j]
        if (i + 1) % _ROWS_TOGETHER == 0 or i + 1 == n_rows:
            for c in range(n_clusters):
                for j in range(n_features):
                    sums.indicators[c, j] += partial[c, j]
                    partial[c, j] = 0.0
    return total


@kernel
def pass_sparse(
    row_start: Offsets,
    feature: AnyArray,
    numbers: Floats,
    weights: Floats,
    clusters: Clusters,
    sums: ClusterSums,
    mode: int,
) -> float:
    """Do the same for rows whose indicators are listed: only the ones that are 1."""
    n_clusters = clusters.base.size
    score = np.empty(n_clusters)
    total = 0.0
    for i in range(row_start.size - 1):
        for c in range(n_clusters):
            dot = clusters.base[c]
            for e in range(row_start[i], row_start[i + 1]):
                dot += clusters.slope[c, feature[e]]
            score[c] = dot
        _score_numbers(numbers, i, clusters, score)
        total += weights[i] * _share(score, sums.membership, i, mode)
        if mode == SCORE:
            continue
        _add_numbers(numbers, i, weights[i], sums)
        for c in range(n_clusters):
            part = sums.membership[i, c] * weights[i]
            for e in range(row_start[i], row_start[i + 1]):
                sums.indicators[c, feature[e]] += part
    return total


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
    top = score[best]
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
def pair_sums(row_start: Offsets, feature: AnyArray, weights: Floats, out: Floats) -> None:
    """Add each row's weight to every pair of features that it has, out (features, features)."""
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            target = out[feature[e]]
            for f in range(row_start[i], row_start[i + 1]):
                target[feature[f]] += weights[i]


@kernel
def select(
    row_start: Offsets, feature: AnyArray, rows: AnyArray, new_feature: AnyArray
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
