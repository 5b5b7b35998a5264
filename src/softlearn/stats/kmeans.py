"""Weighted k-means over levels and standardised numbers.

A mismatch of two levels counts 1, numbers count by their squared difference; a missing cell says
nothing. So a centroid holds the share of each level and the mean of each number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.rows import HARD, SCORE, Clusters, ClusterSums
from softlearn.numeric_policy import KMEANS_TOLERANCE, SMALLEST_DISTANCE
from softlearn.stats.rows import WeightedRows


class Centroids(NamedTuple):
    """The centres of clusters."""

    levels: Floats  # (clusters, features)         share of each level
    numbers: Floats  # (clusters, numeric columns)  mean


def kmeans(
    rows: WeightedRows, n_clusters: int, rng: np.random.Generator, max_iter: int
) -> tuple[Centroids, ClusterSums]:
    """Return the centroids of Lloyd's algorithm, and what the rows nearest to each add up to."""
    centroids = _start(rows, n_clusters, rng)
    before = -np.inf
    for _ in range(max(1, max_iter)):
        sums, score = rows.one_pass(_as_clusters(rows, centroids), HARD)
        centroids = _update(rows, sums, centroids)
        if score - before <= KMEANS_TOLERANCE * rows.n_columns * rows.weights.sum():
            break
        before = score
    return centroids, sums


def distances(rows: WeightedRows, centroids: Centroids) -> Floats:
    """Return the Euclidean distance of each row to each centroid, (rows, clusters)."""
    scores, _ = rows.one_pass(_as_clusters(rows, centroids), SCORE)
    return np.sqrt(np.maximum(-scores.membership, 0.0))


def soft_memberships(distance: Floats, beta: float) -> Floats:
    """Return the paper's memberships: a softmax of beta times one minus the share of distance."""
    total = np.maximum(distance.sum(axis=1, keepdims=True), SMALLEST_DISTANCE)
    score = -beta * distance / total
    score -= score.max(axis=1, keepdims=True)
    share = np.exp(score)
    return share / share.sum(axis=1, keepdims=True)


def _start(rows: WeightedRows, n_clusters: int, rng: np.random.Generator) -> Centroids:
    """Start from random rows, each of which differs from those before it if any row does."""
    chance = rows.weights.copy()
    chosen: list[int] = []
    for _ in range(n_clusters):
        if chance.sum() <= 0.0:  # the rows have fewer different contents than clusters
            break
        pick = np.searchsorted(np.cumsum(chance), rng.random() * chance.sum(), side="right")
        chosen.append(min(int(pick), chance.size - 1))
        gap = distances(rows, _rows_as_centroids(rows, chosen[-1:]))[:, 0]
        chance = np.where(gap > SMALLEST_DISTANCE, chance, 0.0)
    return _rows_as_centroids(rows, chosen)


def _rows_as_centroids(rows: WeightedRows, chosen: list[int]) -> Centroids:
    numbers = rows.numbers[chosen]
    return Centroids(rows.feature_rows(chosen), np.where(np.isnan(numbers), 0.0, numbers))


def _as_clusters(rows: WeightedRows, centroids: Centroids) -> Clusters:
    """Return clusters whose score is minus the squared distance."""
    levels = centroids.levels
    single = rows.per_feature(rows.single)
    # (x − c)² = c² + x (1 − 2c) for a single indicator; half the squared distance of two
    # one-hot vectors otherwise, where a row without a level adds nothing.
    square = rows.per_feature(rows.group_sums(levels**2))
    slope = np.where(single, 2.0 * levels - 1.0, levels - (1.0 + square) / 2.0)
    base = -np.where(single, levels**2, 0.0).sum(axis=1)
    ones = np.ones_like(centroids.numbers)
    return Clusters(base, slope.astype(np.float32), centroids.numbers, ones, 0.0 * ones)


def _update(rows: WeightedRows, sums: ClusterSums, old: Centroids) -> Centroids:
    """Return the weighted means; a cluster without rows, or a column without cells, stays."""
    mass = sums.mass[:, None]
    observed = np.where(rows.single, mass, rows.group_sums(sums.indicators))
    total = rows.per_feature(observed)
    levels = np.where(total > 0.0, sums.indicators / np.where(total > 0.0, total, 1.0), old.levels)
    seen = sums.numbers[:, :, 0]
    mean = sums.numbers[:, :, 1] / np.where(seen > 0.0, seen, 1.0)
    return Centroids(levels, np.where(seen > 0.0, mean, old.numbers))
