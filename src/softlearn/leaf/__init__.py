"""Univariate distributions, one file per family, independent of circuits and tables."""

from softlearn.leaf.categorical import CATEGORICAL, Categorical, CategoricalStats
from softlearn.leaf.cells import Cells
from softlearn.leaf.families import FAMILIES, family_named
from softlearn.leaf.family import (
    Family,
    Interval,
    LeafOptions,
    Listed,
    Members,
    Region,
    Stats,
)
from softlearn.leaf.gaussian import GAUSSIAN, Gaussian, GaussianStats
from softlearn.leaf.gaussian_far import Known, LogRatio, log_ratio
from softlearn.leaf.histogram import HISTOGRAM, Histogram, HistogramStats
from softlearn.leaf.scaled import SCALED, Scaled, ScaledStats

__all__ = [
    "CATEGORICAL",
    "FAMILIES",
    "GAUSSIAN",
    "HISTOGRAM",
    "SCALED",
    "Categorical",
    "CategoricalStats",
    "Cells",
    "Family",
    "Gaussian",
    "GaussianStats",
    "Histogram",
    "HistogramStats",
    "Interval",
    "Known",
    "LeafOptions",
    "Listed",
    "LogRatio",
    "Members",
    "Region",
    "Scaled",
    "ScaledStats",
    "Stats",
    "family_named",
    "log_ratio",
]
