"""The two ways to split a node: columns that are independent, rows that are alike."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids
from softlearn.learn.bins import TableBins
from softlearn.learn.config import GrowConfig
from softlearn.numeric_policy import MIXTURE_START
from softlearn.stats.independence import components, dependent, dependent_binary
from softlearn.stats.kmeans import distances, kmeans, soft_memberships
from softlearn.stats.mixture import em_memberships, softened
from softlearn.stats.ranks import linked_by_ranks
from softlearn.stats.rows import Listing, WeightedRows

_START_ITERATIONS = 10  # of k-means, before EM takes over


class RowsAndColumns(Protocol):
    """What a slice is about."""

    @property
    def rows(self) -> Ids:
        """Positions of the rows in the training table."""

    @property
    def columns(self) -> Ids:
        """Positions of the columns in the schema."""


def independent_parts(
    bins: TableBins, config: GrowConfig, where: RowsAndColumns, data: WeightedRows
) -> AnyArray:
    """Return the part that each of the slice's columns belongs to, (columns,)."""
    if data.numbers.shape[1] == 0 and data.single.all():
        mass = float(data.weights.sum())
        linked = dependent_binary(_pair_weights(data), mass, config.significance, config.test)
        return components(linked)
    dense, groups = bins.one_hot(where.rows, data.weights, where.columns)
    weighted = dense * data.weights[:, None].astype(np.float32)
    tables = (weighted.T @ dense).astype(np.float64)
    linked = dependent(tables, groups, config.significance, config.test)
    if config.ranks:
        codes, numeric = bins.ranks(where.rows, where.columns)
        linked = linked_by_ranks(linked, codes, numeric, data.weights, config.significance)
    return components(linked)


def _pair_weights(data: WeightedRows) -> Floats:
    """Return the weight of the rows that have both of two indicators, (features, features)."""
    from softlearn.kernels.clustering import pair_sums  # noqa: PLC0415 - loads Numba

    if isinstance(data.indicators, Listing):
        both = np.zeros((data.n_features, data.n_features))
        pair_sums(data.indicators.start, data.indicators.feature, data.weights, both)
        return both
    weighted = data.indicators * data.weights[:, None].astype(np.float32)
    both_floats: Floats = (weighted.T @ data.indicators).astype(np.float64)
    return both_floats


def clusters(data: WeightedRows, config: GrowConfig, uniforms: Floats) -> Floats | None:
    """Return the membership of each row in each cluster, or None if the rows do not divide.

    ``uniforms`` are as many numbers in [0, 1) as there shall be clusters: all the chance there is.
    """
    is_em = config.clustering == "em"
    limit = min(config.max_iter, _START_ITERATIONS) if is_em else config.max_iter
    found = kmeans(data, uniforms, limit)
    if found is None:
        return None
    centroids, sums = found
    if is_em:
        membership = em_memberships(
            data,
            softened(sums, MIXTURE_START),
            smoothing=config.smoothing,
            max_iter=config.max_iter,
        )
        return membership if config.soft or membership is None else _nearest(membership)
    distance = distances(data, centroids)
    return soft_memberships(distance, config.beta) if config.soft else _nearest(-distance)


def _nearest(score: Floats) -> Floats:
    """Return hard memberships: each row belongs to its best cluster, the first of equals."""
    hard: Floats = np.eye(score.shape[1])[score.argmax(axis=1)]
    return hard
