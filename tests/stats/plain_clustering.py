"""K-means and EM in plain NumPy, one column after the other: the naive twin of the kernel."""

from __future__ import annotations

import numpy as np

from kernels.plain_seeds import mixed
from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.kernels.cluster.rows import DIFFERENT, ClusterOptions, RowData
from softlearn.learn.config import GrowConfig
from softlearn.learn.options import cluster_options
from softlearn.numeric_policy import MIXTURE_DEVIATION_FLOOR, MIXTURE_PROBABILITY_FLOOR
from softlearn.stats.rows import Csr
from softlearn.stats.table import TrainingTable, training_table


def rows_of(kinds: str, n_rows: int, *, gaps: float = 0.0, seed: int = 0):
    """Return a training table of weighted rows, and the rows as clustering reads them."""
    values = with_gaps(mixture(kinds, n_rows, seed=seed), gaps, seed=seed)
    weights = np.random.default_rng(seed).gamma(2.0, 0.5, n_rows)
    table = training_table(values, weights, schema_of(kinds))
    return table, take_all(table)


def take_all(table: TrainingTable) -> RowData:
    every_row = np.arange(table.n_rows, dtype=np.int32)
    return table.take(every_row, table.weights, np.arange(len(table.schema), dtype=np.int32))


def both_forms(rows: RowData) -> tuple[RowData, RowData]:
    """Return the same rows with the ones of single columns as a matrix and compressed."""
    dense = rows.dense
    if rows.start.size > 1:
        dense = np.zeros((np.count_nonzero(rows.single), rows.weights.size), np.float32)
        dense[rows.feature, np.repeat(np.arange(rows.weights.size), np.diff(rows.start))] = 1.0
    return as_matrix(rows, dense), compressed(rows, dense)


def as_matrix(rows: RowData, dense: np.ndarray) -> RowData:
    """Return the rows with these ones, (single columns, rows)."""
    empty = np.zeros(1, np.int64), np.zeros(0, np.int32)
    return rows._replace(dense=dense, start=empty[0], feature=empty[1])


def compressed(rows: RowData, dense: np.ndarray) -> RowData:
    """Return the rows with these ones, listed row by row."""
    start = np.concatenate([[0], np.cumsum(dense.sum(axis=0))]).astype(np.int64)
    feature = np.nonzero(dense.T)[1].astype(np.int32)
    return rows._replace(dense=dense[:0], start=start, feature=feature)


def options_of(**choices: object) -> ClusterOptions:
    """Return the options of a learner; names of ClusterOptions among the choices go first."""
    own = {name: choices.pop(name) for name in ClusterOptions._fields if name in choices}
    soft = bool(own.pop("soft", True))
    return cluster_options(GrowConfig(soft=soft, **choices))._replace(**own)


def columns_of(table: TrainingTable):
    """Yield (levels, cells) of each column; 0 levels and standardised cells if numeric."""
    for i, column in enumerate(table.schema.columns):
        if column.is_discrete:
            yield column.n_levels, level_cells(table, i)
        else:
            yield 0, table.numbers[table.number_of[i]]


def level_cells(table: TrainingTable, column: int) -> np.ndarray:
    """Return the levels of a column, NaN where missing."""
    level = levels_of(table, column)
    return np.where(level < 0, np.nan, level.astype(float))


def levels_of(table: TrainingTable, column: int) -> np.ndarray:
    """Return the level of each cell of a column, (rows,); -1 where missing."""
    single = table.single_of[column]
    if single < 0:
        return table.levels[table.levels_of[column]]
    if not isinstance(table.ones, Csr):
        return table.ones[single].astype(int)
    row = np.repeat(np.arange(table.n_rows), np.diff(table.ones.start))
    return np.bincount(row[table.ones.feature == single], minlength=table.n_rows)


def features_of(n_levels: int, cells: np.ndarray) -> np.ndarray:
    """Return a column's cells as points, (rows, dimensions); all zero where missing."""
    known = np.where(np.isnan(cells), 0.0, cells)
    points = np.eye(n_levels)[known.astype(int)] if n_levels else known[:, None]
    return np.where(np.isnan(cells)[:, None], 0.0, points)


def distances_to(table: TrainingTable, centroids: list[np.ndarray]) -> np.ndarray:
    """Return the squared distances of rows to centroids, (clusters, rows)."""
    total = np.zeros((centroids[0].shape[0], table.n_rows))
    for (n_levels, cells), centroid in zip(columns_of(table), centroids, strict=True):
        gap = features_of(n_levels, cells)[None] - centroid[:, None]
        # Half the squared distance of levels: two different ones are one apart.
        square = (gap**2).sum(axis=2) * (0.5 if n_levels else 1.0)
        total += np.where(np.isnan(cells), 0.0, square)
    return total


def means_of(
    table: TrainingTable, membership: np.ndarray, old: list[np.ndarray] | None = None
) -> list[np.ndarray]:
    """Return the mean of each cluster's rows, column by column; without any, the old one."""
    found = []
    for i, (n_levels, cells) in enumerate(columns_of(table)):
        part = np.where(np.isnan(cells), 0.0, membership * table.weights)
        mass, sums = part.sum(axis=1, keepdims=True), part @ features_of(n_levels, cells)
        here = np.zeros(sums.shape) if old is None else old[i]
        found.append(np.where(mass > 0.0, sums / np.where(mass > 0.0, mass, 1.0), here))
    return found


def squared_distances(table: TrainingTable, membership: np.ndarray) -> np.ndarray:
    """Return the distance of each row to the mean of each cluster's rows, (clusters, rows)."""
    return distances_to(table, means_of(table, membership))


def picked(table: TrainingTable, picks: np.ndarray) -> list[int]:
    """Return the rows to start from: of those that differ from the ones before, whatever they
    weigh, the one whose cells come first by the pick.
    """
    rows: list[int] = []
    for pick in picks.tolist():
        is_open = table.weights > 0.0
        if rows:
            near = distances_to(table, on_rows(table, rows)) <= DIFFERENT
            is_open &= ~near.any(axis=0)
        if not is_open.any():
            break
        place = [mixed(key + pick) for key in table.keys[is_open].tolist()]
        rows.append(int(np.flatnonzero(is_open)[np.argmin(np.array(place, np.uint64))]))
    return rows


def on_rows(table: TrainingTable, rows: list[int]) -> list[np.ndarray]:
    return [features_of(n_levels, cells)[rows] for n_levels, cells in columns_of(table)]


def first_best(score: np.ndarray) -> np.ndarray:
    """Give each row to the first of its best clusters; ties may be off by rounding."""
    best = (score >= score.max(axis=0) - 1e-9).argmax(axis=0)
    return np.eye(score.shape[0])[best].T


def lloyd(table: TrainingTable, picks: np.ndarray, options: ClusterOptions):
    """Return hard memberships and the centroids, or None if all rows are alike."""
    rows = picked(table, picks)
    if len(rows) < 2:
        return None
    centroids, before = on_rows(table, rows), np.inf
    for _ in range(options.kmeans_iterations):
        d = distances_to(table, centroids)
        hard = first_best(-d)
        centroids = means_of(table, hard, centroids)
        error = float(np.average(d.min(axis=0), weights=table.weights))
        if before - error <= options.kmeans_tolerance * len(table.schema):
            break
        before = error
    return hard, centroids


def em_step(table: TrainingTable, membership: np.ndarray, smoothing: float):
    """Return new memberships, the weighted log-likelihood, and the prior's part of the score."""
    part = (membership * table.weights).T
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
    return np.exp(log_joint - top).T, float(table.weights @ top[:, 0]), prior


def soft_memberships(distance: np.ndarray, beta: float) -> np.ndarray:
    """Return the paper's memberships, (clusters, rows), of distances in this shape."""
    total = distance.sum(axis=0)
    score = beta * (1.0 - distance / np.where(total > 0.0, total, 1.0))
    return np.exp(score - np.logaddexp.reduce(score, axis=0))


def plain_memberships(table: TrainingTable, picks: np.ndarray, options: ClusterOptions):
    """Return what ``softlearn.stats.clustering.memberships`` should."""
    found = lloyd(table, picks, options)
    if found is None:
        return None
    membership, centroids = found
    if options.em_iterations == 0:
        distance = np.sqrt(distances_to(table, centroids))
        membership = soft_memberships(distance, options.beta)
    else:
        even = (1.0 - options.sharpness) / membership.shape[0]
        membership, before = options.sharpness * membership + even, -np.inf
        for _ in range(options.em_iterations):
            membership, likelihood, _ = em_step(table, membership, options.smoothing)
            mean = likelihood / table.weights.sum()
            if mean - before < options.em_tolerance * max(1.0, abs(mean)):
                break
            before = mean
    return membership if options.soft else first_best(membership)
