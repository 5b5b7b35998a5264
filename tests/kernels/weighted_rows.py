"""Weighted rows that the tests of the kernels share."""

from __future__ import annotations

import numpy as np

from softlearn.stats.rows import Listing, WeightedRows


def both_forms(
    seed: int,
    *,
    n_rows: int = 300,
    n_features: int = 7,
    n_numbers: int = 2,
    density: float = 0.3,
) -> tuple[WeightedRows, WeightedRows]:
    """Return the same rows with their indicators as a matrix and as a listing."""
    rng = np.random.default_rng(seed)
    dense = (rng.random((n_features, n_rows)) < density).astype(np.float32)
    numbers = rng.normal(size=(n_numbers, n_rows))
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    start = np.concatenate([[0], np.cumsum(dense.sum(axis=0))]).astype(np.int64)
    listing = Listing(start, np.nonzero(dense.T)[1].astype(np.int32))
    rest = (np.arange(n_features + 1), np.ones(n_features, bool), numbers)
    weights = rng.gamma(1.0, 1.0, n_rows)
    return WeightedRows(weights, dense, *rest), WeightedRows(weights, listing, *rest)
