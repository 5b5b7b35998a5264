"""Group the columns of a slice that depend on each other."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Kinds, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import allocating_inner, inner
from softlearn.kernels.grow.bins import pair_tables
from softlearn.kernels.grow.links import link_binary, link_tables
from softlearn.kernels.grow.ranks import link_ranks
from softlearn.kernels.grow.slices import pair_sums
from softlearn.kernels.grow.work import GrowTable, GrowthOptions, OpenSlice, level_of

_TOGETHER = 4096  # rows whose products are added up at a time
# Up to this weight single precision loses a small part of a row, less than Yates' correction.
_HEAVY = 2.0**20

_level_of = inner(level_of)


def label_by_tables(
    table: GrowTable, data: RowData, task: OpenSlice, options: GrowthOptions, label: Offsets
) -> int:
    """Label the columns, equal for those that depend on each other, by any chain; return 0.

    Pairs are tested by their tables and, with numbers, by trends.
    """
    level = _level_of(options, task.columns.size, mass_of(task.weights))
    critical = options.critical[level]
    if _are_single(table, task):
        _label_by_ones(data, critical[0, 1], options, label)
    else:
        codes, n_codes, numeric = codes_of(table, task, True)
        _table_parts(table, task, codes, n_codes, numeric, critical, options, label)
    return 0


def label_by_ranks(
    table: GrowTable, data: RowData, task: OpenSlice, options: GrowthOptions, label: Offsets
) -> int:
    """Label the columns as `label_by_tables`; pairs with a number are tested by ranks alone."""
    level = _level_of(options, task.columns.size, mass_of(task.weights))
    critical = options.critical[level]
    if _are_single(table, task):
        _label_by_ones(data, critical[0, 1], options, label)
    else:
        for j in range(label.size):
            label[j] = j
        codes, n_codes, numeric = codes_of(table, task, False)
        _table_parts(table, task, codes, n_codes, numeric, critical, options, label)
        codes, n_codes, numeric = codes_of(table, task, True)
        link_ranks(label, codes, numeric, task.weights, options.far[level], critical[0])
    return 0


@inner
def mass_of(weights: Floats) -> float:
    """Return the sum of the weights."""
    mass = 0.0
    for i in range(weights.size):
        mass += weights[i]
    return mass


@inner
def _are_single(table: GrowTable, task: OpenSlice) -> bool:
    """Return whether all columns have two levels and no missing cell."""
    found = True
    for j in range(task.columns.size):
        found &= table.single_of[task.columns[j]] >= 0
    return found


@allocating_inner
def _label_by_ones(data: RowData, critical: float, options: GrowthOptions, label: Offsets) -> None:
    """Test columns of two levels by the weight of the rows where both are 1."""
    mass = mass_of(data.weights)
    both = sums_of_ones(data, mass)
    found = link_binary(both, mass, critical, options.least_mass, options.g_test)
    for j in range(label.size):
        label[j] = found[j]


@allocating_inner
def sums_of_ones(data: RowData, mass: float) -> Floats:
    """Return the weight of the rows where two columns are 1; `mass` is that of the whole slice."""
    both = np.zeros((data.single.size, data.single.size))
    if data.dense.size > 0:
        _dense_pair_sums(data.dense, data.weights, mass, both)
    else:
        pair_sums(data.start, data.feature, data.weights, both)
    return both


@allocating_inner
def _dense_pair_sums(dense: AnyArray, weights: Floats, mass: float, out: Floats) -> None:
    """Add up the weights of the rows that have both of two columns."""
    for first in range(0, weights.size, _TOGETHER):
        n = min(_TOGETHER, weights.size - first)
        some, its_weights = dense[:, first : first + n], weights[first : first + n]
        shape = (dense.shape[0], n)
        if mass < _HEAVY:
            plain, weighted = np.empty(shape, np.float32), np.empty(shape, np.float32)
            _add_products(some, its_weights, plain, weighted, out)
        else:
            exact, its_exact = np.empty(shape), np.empty(shape)
            _add_products(some, its_weights, exact, its_exact, out)


@allocating_inner
def _add_products(
    dense: AnyArray, weights: Floats, plain: AnyArray, weighted: AnyArray, out: Floats
) -> None:
    """Add the products of all pairs of columns to out, in the precision of the two in between."""
    for j in range(dense.shape[0]):
        for i in range(weights.size):
            plain[j, i] = dense[j, i]
            weighted[j, i] = dense[j, i] * weights[i]
    some = np.dot(weighted, plain.T)
    for j in range(dense.shape[0]):
        for k in range(dense.shape[0]):
            out[j, k] += some[j, k]


@allocating_inner
def codes_of(table: GrowTable, task: OpenSlice, with_numbers: bool) -> tuple[Kinds, Offsets, Bools]:
    """Return the slice's codes, (columns, rows), how many there are, and which are in order.

    Without numbers, they are those of the other columns alone.
    """
    n_columns, rows = 0, task.rows
    for j in range(task.columns.size):
        n_columns += with_numbers or not table.numeric[task.columns[j]]
    codes = np.empty((n_columns, rows.size), np.uint8)
    n_codes, numeric = np.empty(n_columns, np.int64), np.empty(n_columns, np.bool_)
    k = 0
    for j in range(task.columns.size):
        column = task.columns[j]
        if with_numbers or not table.numeric[column]:
            cells = table.codes[column]
            n_codes[k], numeric[k] = table.n_codes[column], table.numeric[column]
            for i in range(rows.size):
                codes[k, i] = cells[rows[i]]
            k += 1
    return codes, n_codes, numeric


@allocating_inner
def _table_parts(
    table: GrowTable,
    task: OpenSlice,
    codes: Kinds,
    n_codes: Offsets,
    numeric: Bools,
    critical: Floats,
    options: GrowthOptions,
    label: Offsets,
) -> None:
    """Label columns that are tested by their tables: all, or those that are no numbers."""
    if numeric.size < 2:
        return
    sums, groups = pair_tables(codes, task.weights, n_codes, numeric, not options.ranks)
    mass, squares = 0.0, 0.0
    for i in range(task.rows.size):
        mass += task.weights[i]
        squares += task.weights[i] * task.weights[i] / table.weights[task.rows[i]]
    found = link_tables(
        sums, groups, numeric, mass / squares, critical, options.least_mass, options.g_test
    )
    place = np.empty(numeric.size, np.int64)
    k = 0
    for j in range(label.size):
        if numeric.size == label.size or not table.numeric[task.columns[j]]:
            place[k] = j
            k += 1
    for k in range(place.size):
        label[place[k]] = place[found[k]]
