"""K-means and EM in plain NumPy, one column after the other: the naive twins of the kernels."""

from __future__ import annotations

import numpy as np

from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.learn.training import Training, training_table
from softlearn.numeric_policy import MIXTURE_DEVIATION_FLOOR, MIXTURE_PROBABILITY_FLOOR
from softlearn.stats.rows import WeightedRows


def rows_of(kinds: str, n_rows: int, *, gaps: float = 0.0, seed: int = 0):
    """Return a training table of weighted rows, and the rows as clustering reads them."""
    values = with_gaps(mixture(kinds, n_rows, seed=seed), gaps, seed=seed)
    weights = np.random.default_rng(seed).gamma(2.0, 0.5, n_rows)
    table = training_table(values, weights, schema_of(kinds))
    return table, take_all(table)


def take_all(table: Training) -> WeightedRows:
    every_row = np.arange(table.n_rows, dtype=np.int32)
    return table.take(every_row, table.weights, np.arange(len(table.schema), dtype=np.int32))


def columns_of(table: Training):
    """Yield (levels, cells) of each column; 0 levels and standardised cells if numeric."""
    for i, column in enumerate(table.schema.columns):
        if column.is_discrete:
            yield column.n_levels, table.values[i]
        else:
            yield 0, (table.values[i] - table.centre[i]) / table.spread[i]


def squared_distances(table: Training, membership: np.ndarray) -> np.ndarray:
    """Return the distance of each row to the mean of each cluster's rows, (rows, clusters)."""
    total = np.zeros(membership.shape)
    for n_levels, cells in columns_of(table):
        seen = ~np.isnan(cells)
        x, part = cells[seen], (membership * table.weights[:, None])[seen]
        if n_levels == 0:
            total[seen] += (x[:, None] - (part * x[:, None]).sum(0) / part.sum(0)) ** 2
            continue
        hot = np.eye(n_levels)[x.astype(int)]
        shares = (part.T @ hot) / part.sum(axis=0)[:, None]
        # Half the squared distance: two different levels are one apart.
        total[seen] += 0.5 * ((hot[:, None, :] - shares) ** 2).sum(axis=2)
    return total


def em_step(table: Training, membership: np.ndarray, smoothing: float):
    """Return new memberships, the weighted log-likelihood, and the prior's part of the score."""
    part = membership * table.weights[:, None]
    log_joint = np.tile(np.log(part.sum(axis=0) / part.sum()), (table.n_rows, 1))
    prior = 0.0
    for n_levels, cells in columns_of(table):
        seen = ~np.isnan(cells)
        x, w = cells[seen], part[seen]
        if n_levels == 0:
            mean = (w * x[:, None]).sum(axis=0) / w.sum(axis=0)
            variance = (w * (x[:, None] - mean) ** 2).sum(axis=0) / w.sum(axis=0)
            variance = np.maximum(variance, MIXTURE_DEVIATION_FLOOR**2)
            gap = (x[:, None] - mean) ** 2 / variance
            log_joint[seen] -= 0.5 * (gap + np.log(2.0 * np.pi * variance))
            continue
        counts = w.T @ np.eye(n_levels)[x.astype(int)] + smoothing
        p = counts / counts.sum(axis=1, keepdims=True)
        p = np.clip(p, MIXTURE_PROBABILITY_FLOOR, 1.0 - MIXTURE_PROBABILITY_FLOOR)
        log_joint[seen] += np.log(p)[:, x.astype(int)].T
        prior += smoothing * float(np.log(p).sum())
    top = np.logaddexp.reduce(log_joint, axis=1, keepdims=True)
    return np.exp(log_joint - top), float(table.weights @ top[:, 0]), prior
