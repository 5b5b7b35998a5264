"""The two ways to split a node: columns that are independent, rows that are alike."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from softlearn.arrays import Ids, Offsets
from softlearn.kernels.cluster.rows import ClusterOptions
from softlearn.learn.bins import TableBins
from softlearn.learn.config import GrowConfig
from softlearn.numeric_policy import (
    EM_TOLERANCE,
    KMEANS_TOLERANCE,
    MIXTURE_DEVIATION_FLOOR,
    MIXTURE_PROBABILITY_FLOOR,
    MIXTURE_START,
)
from softlearn.stats.independence import binary_parts, rank_parts, table_parts
from softlearn.stats.rows import WeightedRows

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
) -> Offsets:
    """Return a label for each of the slice's columns, equal for those that depend on each other."""
    level = config.level(where.columns.size)
    if data.is_binary:
        mass = float(data.weights.sum())
        return binary_parts(data.pair_weights(), mass, level, config.test)
    if not config.ranks:
        tables = bins.tables(where.rows, data.weights, where.columns, coarse=True)
        return table_parts(tables, level, config.test)
    codes, numeric = bins.ranks(where.rows, where.columns)
    parts, discrete = np.arange(where.columns.size), np.flatnonzero(~numeric)
    if discrete.size:
        some = where.columns[discrete]
        tables = bins.tables(where.rows, data.weights, some, coarse=False)
        linked = table_parts(tables, level, config.test)
        parts[discrete] = discrete[linked]
    return rank_parts(parts, codes, numeric, data.weights, level)


def cluster_options(config: GrowConfig) -> ClusterOptions:
    """Return how the rows of a node are clustered."""
    is_em = config.clustering == "em"
    return ClusterOptions(
        kmeans_iterations=min(config.max_iter, _START_ITERATIONS) if is_em else config.max_iter,
        kmeans_tolerance=KMEANS_TOLERANCE,
        em_iterations=config.max_iter if is_em else 0,
        em_tolerance=EM_TOLERANCE,
        sharpness=MIXTURE_START,
        smoothing=float(config.smoothing),  # an integer would be compiled for anew
        probability_floor=MIXTURE_PROBABILITY_FLOOR,
        deviation_floor=MIXTURE_DEVIATION_FLOOR,
        beta=float(config.beta),
        soft=config.soft,
    )
