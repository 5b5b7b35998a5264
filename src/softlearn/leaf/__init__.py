"""Univariate distributions, one file a family, that know nothing of circuits or tables."""

from softlearn.leaf.categorical import CATEGORICAL, Categorical, CategoricalStats
from softlearn.leaf.families import FAMILIES, family_named
from softlearn.leaf.family import Family, Interval, LeafOptions, Members, Region, Stats
from softlearn.leaf.gaussian import GAUSSIAN, Gaussian, GaussianStats
from softlearn.leaf.histogram import HISTOGRAM, Histogram, HistogramStats

__all__ = [
    "CATEGORICAL",
    "FAMILIES",
    "GAUSSIAN",
    "HISTOGRAM",
    "Categorical",
    "CategoricalStats",
    "Family",
    "Gaussian",
    "GaussianStats",
    "Histogram",
    "HistogramStats",
    "Interval",
    "LeafOptions",
    "Members",
    "Region",
    "Stats",
    "family_named",
]
