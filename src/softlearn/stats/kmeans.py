"""Weighted k-means over levels and standardised numbers.

A mismatch of two levels counts 1, numbers count by their squared difference; a missing cell says
nothing. So a centroid holds the share of each level and the mean of each number.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.rows import SCORE, Clusters, ClusterSums
from softlearn.numeric_policy import KMEANS_TOLERANCE, SMALLEST_DISTANCE
from softlearn.stats.rows import WeightedRows


def kmeans(
    rows: WeightedRows, n_clusters: int, rng: np.random.Generator, max_iter: int
) -> tuple[Clusters, ClusterSums]:
    """Return clusters whose score is minus the squared distance, and what their rows add up to.

    There are fewer clusters when fewer rows differ.
    """
    from softlearn.kernels.clustering import lloyd  # noqa: PLC0415 - loads Numba

    chosen = _start(rows, n_clusters, rng)
    clusters, sums = rows.new_clusters(len(chosen))
    levels = np.stack([rows.feature_row(row) for row in chosen])
    numbers = rows.numbers[chosen]
    clusters.mean[:] = np.where(np.isnan(numbers), 0.0, numbers)
    tolerance = KMEANS_TOLERANCE * rows.n_columns * float(rows.weights.sum())
    lloyd(rows.data, clusters, sums, levels, max(1, max_iter), tolerance)
    return clusters, sums


def distances(rows: WeightedRows, clusters: Clusters) -> Floats:
    """Return the Euclidean distance of each row to each centroid, (rows, clusters)."""
    from softlearn.kernels.clustering import one_pass  # noqa: PLC0415 - loads Numba

    _, sums = rows.new_clusters(clusters.base.size)
    one_pass(rows.data, clusters, sums, SCORE)
    return np.sqrt(np.maximum(-sums.membership, 0.0))


def soft_memberships(distance: Floats, beta: float) -> Floats:
    """Return the paper's memberships: a softmax of beta times one minus the share of distance."""
    total = np.maximum(distance.sum(axis=1, keepdims=True), SMALLEST_DISTANCE)
    score = -beta * distance / total
    score -= score.max(axis=1, keepdims=True)
    share = np.exp(score)
    memberships: Floats = share / share.sum(axis=1, keepdims=True)
    return memberships


def _start(rows: WeightedRows, n_clusters: int, rng: np.random.Generator) -> list[int]:
    """Return random rows, each of which differs from those before it, as far as there are any."""
    from softlearn.kernels.clustering import as_centroids  # noqa: PLC0415 - loads Numba

    chance = rows.weights.copy()
    chosen: list[int] = []
    while len(chosen) < n_clusters and chance.any():
        pick = np.searchsorted(np.cumsum(chance), rng.random() * chance.sum(), side="right")
        row = min(int(pick), int(np.flatnonzero(chance)[-1]))
        chosen.append(row)
        one, _ = rows.new_clusters(1)
        one.mean[0] = np.where(np.isnan(rows.numbers[row]), 0.0, rows.numbers[row])
        as_centroids(rows.data, rows.feature_row(row)[None, :], one)
        chance[distances(rows, one)[:, 0] <= SMALLEST_DISTANCE] = 0.0
    return chosen
