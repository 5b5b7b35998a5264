"""Cut slices out of a table, and divide rows among clusters."""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import allocating_inner, allocating_kernel, inner, kernel
from softlearn.kernels.grow.work import GrowTable, OpenSlice

FARTHEST: Final = 2.0**40  # standard deviations


@allocating_inner
def take(table: GrowTable, rows: Ids, weights: Floats, columns: Ids) -> RowData:
    """Cut some rows, with their weights, and columns out of a table, as clustering reads them."""
    n_single, n_level_columns, n_features, n_numbers = 0, 0, np.int64(0), 0
    for j in range(columns.size):
        n_single += table.single_of[columns[j]] >= 0
        n_level_columns += table.levels_of[columns[j]] >= 0
        n_features += table.n_levels[columns[j]] - (table.single_of[columns[j]] >= 0)
        n_numbers += table.number_of[columns[j]] >= 0
    groups = np.zeros(n_single + n_level_columns + 1, np.int64)
    single = np.zeros(groups.size - 1, np.bool_)
    ones = np.empty(n_single, np.int32)
    levels = np.empty((n_level_columns, rows.size), np.int32)
    numbers = np.empty((n_numbers, rows.size), np.float32)
    number, one, other = 0, 0, 0
    keys = np.empty(rows.size, np.uint64)
    for i in range(rows.size):
        keys[i] = table.keys[rows[i]]
    for j in range(columns.size):
        if table.single_of[columns[j]] >= 0:
            ones[one] = table.single_of[columns[j]]
            single[one] = True
            one += 1
            groups[one] = one
    for j in range(columns.size):
        if table.levels_of[columns[j]] >= 0:
            first = groups[n_single + other]
            _gather_levels(
                table.levels[table.levels_of[columns[j]]], rows, first, n_features, levels[other]
            )
            other += 1
            groups[n_single + other] = first + table.n_levels[columns[j]]
        if table.number_of[columns[j]] >= 0:
            cells = table.numbers[table.number_of[columns[j]]]
            _gather_numbers(cells, rows, numbers[number])
            number += 1
    is_dense = table.dense.size > 0
    dense = np.empty((n_single if is_dense else 0, rows.size), np.float32)
    start, listed = np.zeros(1, np.int64), np.empty(0, np.int32)
    if is_dense:
        gather(table.dense, ones, rows, dense)
    elif n_single > 0:
        new = np.empty(table.single_of.size, np.int32)
        for k in range(new.size):
            new[k] = -1
        for k in range(n_single):
            new[ones[k]] = k
        start, listed = select(table.start, table.feature, rows, new)
    return RowData(dense, start, listed, levels, numbers, weights, keys, groups, single)


@inner
def _gather_levels(cells: Ids, rows: Ids, first: int, missing: np.int64, out: Ids) -> None:
    """Copy the levels of some rows as features, the first level being the feature `first`."""
    for i in range(rows.size):
        level = cells[rows[i]]
        out[i] = first + level if level >= 0 else missing


@inner
def _gather_numbers(cells: Floats, rows: Ids, out: AnyArray) -> None:
    """Copy the numbers of some rows, clipped so that squares stay within single precision."""
    for i in range(rows.size):
        z = cells[rows[i]]
        z = FARTHEST if z > FARTHEST else z
        out[i] = -FARTHEST if z < -FARTHEST else z


@kernel
def gather(indicators: Kinds, features: Ids, rows: Ids, out: AnyArray) -> None:
    """Copy some features and rows of a matrix into out, float32."""
    for j in range(features.size):
        feature = features[j]
        for i in range(rows.size):
            out[j, i] = indicators[feature, rows[i]]


@allocating_kernel
def select(
    row_start: Offsets, feature: Ids, rows: Ids, new_feature: Ids
) -> tuple[Offsets, AnyArray]:
    """Return some of the compressed rows; new_feature is -1 for features that are left out."""
    start = np.empty(rows.size + 1, np.int64)
    most = 0
    for i in range(rows.size):
        most += row_start[rows[i] + 1] - row_start[rows[i]]
    chosen = np.empty(most, np.int32)
    at = 0
    for i in range(rows.size):
        start[i] = at
        for e in range(row_start[rows[i]], row_start[rows[i] + 1]):
            new = new_feature[feature[e]]
            if new >= 0:
                chosen[at] = new
                at += 1
    start[rows.size] = at
    return start, chosen[:at]


@kernel
def pair_sums(row_start: Offsets, feature: Ids, weights: Floats, out: Floats) -> None:
    """Add each row's weight to the pairs of features that it has, later × earlier in its list."""
    for i in range(row_start.size - 1):
        for e in range(row_start[i], row_start[i + 1]):
            for f in range(row_start[i], e + 1):
                out[feature[e], feature[f]] += weights[i]


@allocating_inner
def core_of(task: OpenSlice, own: Floats, least: float) -> OpenSlice:
    """Return the slice with only the rows that have more than a share of their original weight.

    If that is no row or all rows, it is the slice itself.
    """
    n = 0
    for i in range(task.rows.size):
        n += task.weights[i] > least * own[task.rows[i]]
    if n in (0, task.rows.size):
        return task
    rows, weights = np.empty(n, np.int32), np.empty(n)
    k = 0
    for i in range(task.rows.size):
        if task.weights[i] > least * own[task.rows[i]]:
            rows[k], weights[k] = task.rows[i], task.weights[i]
            k += 1
    return OpenSlice(
        rows,
        weights,
        task.columns,
        task.fallback,
        task.parent,
        task.edge,
        task.seed,
        task.depth,
        task.connected,
        task.n_nodes,
    )


@inner
def heavy(
    rows: Ids, weights: Floats, membership: Floats, own: Floats, least: float
) -> tuple[int, float]:
    """Return how many rows keep more than a share `least` of their own weight in a cluster.

    The second result is the weight of all rows in the cluster, kept or not.
    """
    n, mass = 0, 0.0
    for i in range(rows.size):
        weight = weights[i] * membership[i]
        mass += weight
        n += weight > least * own[rows[i]]
    return n, mass


@allocating_inner
def keep_heavy(
    task: OpenSlice, membership: Floats, own: Floats, least: float, n: int
) -> tuple[Ids, Floats]:
    """Return the n rows that `heavy` counts, and their weights in the cluster."""
    kept, part = np.empty(n, np.int32), np.empty(n)
    k = 0
    for i in range(task.rows.size):
        weight = task.weights[i] * membership[i]
        if weight > least * own[task.rows[i]]:
            kept[k] = task.rows[i]
            part[k] = weight
            k += 1
    return kept, part
