"""Replace several leaves by one: the best representative of a group, and the loss."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.leaf.family import Family
from softlearn.leaf.gaussian import Gaussian
from softlearn.leaf.histogram import Histogram
from softlearn.leaf.scaled import Scaled
from softlearn.numeric_policy import SMALLEST_DEVIATION


def pooled(family: Family, params: Floats, mass: Floats, group: Offsets) -> Floats:
    """Return the best representative of each group of leaves, (groups, n).

    Leaves (leaves, n) count by their mass, (leaves,), above 0; their groups, (leaves,), are
    numbered from 0 without gaps. Histograms have the same edges.
    """
    if isinstance(family, Gaussian):
        return _pooled_normals(params, mass, group)
    if isinstance(family, Scaled):
        assert family.cells is not None, "the family is asked before its column is known"
        bins = params[:, int(family.cells.atom.sum()) : -3].sum(axis=1)
        in_bins = mass * np.maximum(bins, SMALLEST_DEVIATION)
        masses = group_means(params[:, :-2], mass, group)
        return np.concatenate([masses, _pooled_normals(params[:, -2:], in_bins, group)], axis=1)
    return group_means(params, mass, group)


def entropy(family: Family, params: Floats) -> Floats:
    """Return the entropy of leaves in nats, up to a constant of the column.

    The entropy of a pooled leaf minus those of its group, weighted by mass, is the loss of the rows
    of the group; for scaled leaves it is an estimate.
    """
    if isinstance(family, Gaussian):
        return np.asarray(np.log(params[..., 1]))
    if isinstance(family, Scaled):
        return entropy_of(family.probabilities(params))
    if isinstance(family, Histogram):
        return entropy_of(params[..., (params.shape[-1] + 1) // 2 :])
    return entropy_of(params)


def group_means(values: Floats, mass: Floats, group: Offsets) -> Floats:
    """Return the weighted mean of each group, (groups, n), of values (leaves, n)."""
    total = np.bincount(group, mass)
    share = mass / total[group]
    return np.stack([np.bincount(group, share * own) for own in values.T], axis=1)


def entropy_of(probabilities: Floats) -> Floats:
    """Return the entropy of distributions in nats; the last axis runs over the values."""
    from scipy.special import xlogy  # noqa: PLC0415 - slow to load

    return np.asarray(-xlogy(probabilities, probabilities).sum(axis=-1))


def _pooled_normals(params: Floats, mass: Floats, group: Offsets) -> Floats:
    """Return the mean and the deviation of each group as a whole."""
    mean = group_means(params[:, :1], mass, group)
    distance = params[:, :1] - mean[group]
    variance = group_means(params[:, 1:] ** 2 + distance**2, mass, group)
    return np.concatenate([mean, np.sqrt(variance)], axis=1)
