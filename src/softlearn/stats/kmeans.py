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
    rows: WeightedRows, uniforms: Floats, max_iter: int
) -> tuple[Clusters, ClusterSums] | None:
    """Return clusters whose score is minus the squared distance, and what their rows add up to.

    Parameters
    ----------
    rows
        The weighted rows.
    uniforms
        (clusters,) numbers in [0, 1) that pick the rows to start from, by weight.
    max_iter
        Most iterations of Lloyd's algorithm; it ends earlier when the error hardly falls.

    Returns
    -------
    Clusters and sums; fewer clusters when fewer rows differ, None when all are alike.
    """
    from softlearn.kernels import clustering  # noqa: PLC0415 - loads Numba

    tolerance = KMEANS_TOLERANCE * rows.n_columns * float(rows.weights.sum())
    n_clusters = uniforms.size
    while n_clusters > 1:
        clusters, sums = rows.new_clusters(n_clusters)
        memory = (clusters, sums, np.empty((n_clusters, rows.n_features)))
        limits = (max(1, max_iter), tolerance)
        found = clustering.kmeans(rows.data, *memory, uniforms[:n_clusters], *limits)
        if found == n_clusters:
            return clusters, sums
        n_clusters = found
    return None


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
