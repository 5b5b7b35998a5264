"""Means of groups of leaves, and how much a group has lost."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from softlearn.arrays import Floats, Offsets


def group_means(values: Floats, mass: Floats, group: Offsets) -> Floats:
    """Return the weighted mean of each group, (groups, n), of values (leaves, n)."""
    total = np.bincount(group, mass)
    share = mass / total[group]
    return np.stack([np.bincount(group, share * own) for own in values.T], axis=1)


def entropy_of(probabilities: Floats) -> Floats:
    """Return the entropy of distributions in nats; the last axis runs over the values."""
    return np.asarray(-xlogy(probabilities, probabilities).sum(axis=-1))
