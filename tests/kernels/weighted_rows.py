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
    n_levels: tuple[int, ...] = (),
    n_numbers: int = 2,
    density: float = 0.3,
) -> tuple[RowData, RowData]:
    """Return the same rows with the ones of single columns as a matrix and compressed."""
    rng = np.random.default_rng(seed)
    dense = (rng.random((n_features, n_rows)) < density).astype(np.float32)
    numbers = rng.normal(size=(n_numbers, n_rows)).astype(np.float32)
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    groups = np.cumsum([0, *[1] * n_features, *n_levels])
    levels = np.empty((len(n_levels), n_rows), np.int32)
    for j, n in enumerate(n_levels):
        levels[j] = groups[n_features + j] + rng.integers(0, n, n_rows)
    levels[rng.random(levels.shape) < 0.2] = groups[-1]
    rows = RowData(
        dense=dense,
        start=np.zeros(1, np.int64),
        feature=np.zeros(0, np.int32),
        levels=levels,
        numbers=numbers,
        weights=rng.gamma(1.0, 1.0, n_rows),
        keys=rng.integers(0, 2**64, n_rows, np.uint64),
        groups=groups,
        single=np.arange(groups.size - 1) < n_features,
    )
    return as_matrix(rows, dense), compressed(rows, dense)


def indicators(rows: RowData) -> np.ndarray:
    """Return which features rows with a matrix have, (features, rows)."""
    found = np.zeros((rows.groups[-1] + 1, rows.weights.size))
    found[: rows.dense.shape[0]] = rows.dense
    for levels in rows.levels:
        found[levels, np.arange(levels.size)] = 1.0
    return found[:-1]
