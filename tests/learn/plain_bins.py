"""What a node makes of a column's codes, in plain NumPy: the reference of the kernel."""

from __future__ import annotations

import numpy as np
from softlearn.learn.bins import MISSING, MOST_NODE_BINS, WEIGHT_PER_CELL

from softlearn.kernels.grow.bins import ON_EDGE


def mass_of(codes: np.ndarray, weights: np.ndarray, n_codes: int) -> np.ndarray:
    """The weight of the rows that have each code."""
    return np.bincount(codes, weights=weights, minlength=MISSING + 1)[:n_codes]


def joined_codes(
    codes: np.ndarray, weights: np.ndarray, n_codes: int, *, is_number: bool
) -> np.ndarray:
    """The level of each cell among the node's rows; missing stays missing."""
    mass = mass_of(codes, weights, n_codes)
    n_bins = max(2, int(np.sqrt(mass.sum() / WEIGHT_PER_CELL)))
    joined = np.full(MISSING + 1, MISSING, np.uint8)
    if is_number:
        n_bins = min(n_bins, MOST_NODE_BINS)
        bins = np.minimum(middles(mass) * n_bins + ON_EDGE, n_bins - 1)
        bins = bins.astype(int) if mass.sum() > 0.0 else np.zeros(n_codes, int)
        joined[:n_codes] = np.unique(bins, return_inverse=True)[1]
    elif n_codes <= n_bins:
        joined[:n_codes] = np.arange(n_codes)
    else:
        joined[:n_codes] = n_bins - 1
        joined[np.argsort(-mass, kind="stable")[: n_bins - 1]] = np.arange(n_bins - 1)
    return joined[codes]


def middles(mass: np.ndarray) -> np.ndarray:
    """The share of the weight up to the middle of each of the ordered codes."""
    return (np.cumsum(mass) - mass / 2.0) / mass.sum() if mass.sum() > 0.0 else 0.0 * mass
