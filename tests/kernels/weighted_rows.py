"""Weighted rows that the tests of the kernels share."""

from __future__ import annotations

import numpy as np

from softlearn.kernels.cluster.rows import RowData
from stats.plain_clustering import as_matrix, compressed


def both_forms(
    seed: int,
    *,
    n_rows: int = 300,
    n_features: int = 7,
    n_numbers: int = 2,
    density: float = 0.3,
) -> tuple[RowData, RowData]:
    """Return the same rows with their indicators as a matrix and compressed."""
    rng = np.random.default_rng(seed)
    dense = (rng.random((n_features, n_rows)) < density).astype(np.float32)
    numbers = rng.normal(size=(n_numbers, n_rows))
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    rows = RowData(
        dense=dense,
        start=np.zeros(1, np.int64),
        feature=np.zeros(0, np.int32),
        numbers=numbers,
        weights=rng.gamma(1.0, 1.0, n_rows),
        groups=np.arange(n_features + 1),
        single=np.ones(n_features, bool),
    )
    return as_matrix(rows, dense), compressed(rows, dense)
