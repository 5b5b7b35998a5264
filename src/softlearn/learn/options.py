"""Convert the settings of growing to the arrays that kernels read."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.cluster.rows import ClusterOptions
from softlearn.kernels.grow.work import GrowthOptions
from softlearn.learn.config import GrowConfig
from softlearn.numeric_policy import (
    EM_TOLERANCE,
    KMEANS_TOLERANCE,
    MIXTURE_DEVIATION_FLOOR,
    MIXTURE_PROBABILITY_FLOOR,
    MIXTURE_START,
)
from softlearn.stats.bins import MOST_NODE_BINS
from softlearn.stats.independence import WEIGHT_PER_CELL, critical_values, kendall_critical_value
from softlearn.stats.layout import Layout

_START_ITERATIONS = 10  # of k-means, before EM takes over
_POWERS = 40  # of two: slices of more weight are tested at the same level
_NEVER = np.iinfo(np.int64).max


def growth_options(config: GrowConfig, layout: Layout) -> GrowthOptions:
    """Return how the slices of a table are split."""
    by_columns = [config.level(n, 1.0) for n in range(len(layout.schema) + 1)]
    by_mass = [config.level(2, 2.0**power) for power in range(_POWERS)]
    levels = sorted({*by_columns, *by_mass}, reverse=True)
    return GrowthOptions(
        n_clusters=config.n_clusters,
        cluster=cluster_options(config),
        ranks=config.ranks,
        critical=_critical_values(levels, layout),
        far=np.array([kendall_critical_value(level) for level in levels]),
        level_by_columns=np.array([levels.index(level) for level in by_columns]),
        level_by_mass=np.array([levels.index(level) for level in by_mass]),
        least_mass=WEIGHT_PER_CELL,
        g_test=config.test == "g",
        min_weight=float(config.min_weight),
        core_weight=float(config.core_weight),
        max_depth=_NEVER if config.max_depth is None else config.max_depth,
        min_rows=float(config.min_rows),
        keep_rows=config.trees,
        stop=np.zeros(1, np.uint8),
    )


def _critical_values(levels: list[float], layout: Layout) -> Floats:
    """Return critical values of chi-square, (levels, 2, freedom + 1)."""
    widest = int(np.where(layout.numeric, MOST_NODE_BINS, layout.n_codes).max())
    most = max((widest - 1) ** 2, 1)
    return np.array([critical_values(level, most) for level in levels])


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
