"""Cut slices out of a table of indicators, and share rows out among clusters."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets
from softlearn.kernels.compile import kernel


@kernel
def gather(indicators: Kinds, features: Ids, rows: Ids, out: AnyArray) -> None:
    """Copy some features and rows of a matrix into out, float32."""
    for j in range(features.size):
        feature = features[j]
        for i in range(rows.size):
            out[j, i] = indicators[feature, rows[i]]


@kernel
def select(
    row_start: Offsets, feature: Ids, rows: Ids, new_feature: Ids
) -> tuple[Offsets, AnyArray]:
    """Return some rows and features of a listing; new_feature is -1 for those left out."""
    start = np.empty(rows.size + 1, np.int64)
    most = 0
    for i in range(rows.size):
        most += row_start[rows[i] + 1] - row_start[rows[i]]
    chosen = np.empty(most, np.int32)
    at = 0
    for i in range(rows.size):
        start[i] = at
        for e in range(row_start[rows[i]], row_start[rows[i] + 1]):
            new = new_feature[feature[e]]
            if new >= 0:
                chosen[at] = new
                at += 1
    start[rows.size] = at
    return start, chosen[:at]


@kernel
def column_sums(
    dense: AnyArray, row_start: Offsets, feature: Ids, weights: Floats, out: Floats
) -> None:
    """Add up the weights of the rows that have each feature, given as a matrix or a listing."""
    for j in range(dense.shape[0]):
        total = 0.0
        for i in range(weights.size):
            total += weights[i] * dense[j, i]
        out[j] = total
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            out[feature[e]] += weights[i]


@kernel
def pair_sums(row_start: Offsets, feature: Ids, weights: Floats, out: Floats) -> None:
    """Add each row's weight to the pairs of features that it has, later × earlier in its list."""
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            for f in range(row_start[i], e + 1):
                out[feature[e], feature[f]] += weights[i]


@kernel
def keep_heavy(
    rows: Ids, weights: Floats, membership: Floats, own: Floats, least: float
) -> tuple[AnyArray, Floats, float]:
    """Return the rows that keep more than a share `least` of their own weight, and their weights.

    The third is the weight of all rows in the cluster, kept or not.
    """
    kept, part = np.empty(rows.size, np.int32), np.empty(rows.size)
    n, mass = 0, 0.0
    for i in range(rows.size):
        weight = weights[i] * membership[i]
        mass += weight
        if weight > least * own[rows[i]]:
            kept[n] = rows[i]
            part[n] = weight
            n += 1
    return kept[:n].copy(), part[:n].copy(), mass
