"""Which columns of a slice depend on each other."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Kinds, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import inner
from softlearn.kernels.grow.bins import pair_tables
from softlearn.kernels.grow.links import link_binary, link_tables
from softlearn.kernels.grow.ranks import link_ranks
from softlearn.kernels.grow.slices import pair_sums
from softlearn.kernels.grow.work import GrowTable, GrowthOptions, OpenSlice

_TOGETHER = 4096  # rows whose products are added up at a time
# Up to this weight single precision loses a small part of a row, which Yates' correction hides.
_HEAVY = 2.0**20


@inner
def dependent_parts(
    table: GrowTable, data: RowData, task: OpenSlice, options: GrowthOptions
) -> Offsets:
    """Return a label per column, equal for those that depend on each other, by any chain."""
    critical = options.critical[task.columns.size]
    if _are_single(table, task):
        return _binary_parts(data, critical[0, 1], options)
    codes, n_codes, numeric = _codes_of(table, task)
    every = np.ones(numeric.size, np.bool_)
    if not options.ranks:
        return _table_parts(table, task, codes, n_codes, numeric, every, critical, options)
    for j in range(numeric.size):
        every[j] = not numeric[j]
    label = _table_parts(table, task, codes, n_codes, numeric, every, critical, options)
    far = options.far[task.columns.size]
    link_ranks(label, codes, numeric, task.weights, far, critical[0])
    return label


@inner
def _are_single(table: GrowTable, task: OpenSlice) -> bool:
    """Return whether all columns have two levels and no missing cell."""
    found = True
    for j in range(task.columns.size):
        found &= table.single_of[task.columns[j]] >= 0
    return found


@inner
def _binary_parts(data: RowData, critical: float, options: GrowthOptions) -> Offsets:
    """Test columns of two levels by the weight of the rows where both are 1."""
    mass = 0.0
    for i in range(data.weights.size):
        mass += data.weights[i]
    both = np.zeros((data.single.size, data.single.size))
    if data.dense.size > 0:
        _dense_pair_sums(data.dense, data.weights, mass, both)
    else:
        pair_sums(data.start, data.feature, data.weights, both)
    return link_binary(both, mass, critical, options.least_mass, options.g_test)


@inner
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


@inner
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


@inner
def _codes_of(table: GrowTable, task: OpenSlice) -> tuple[Kinds, Offsets, Bools]:
    """Return the slice's codes, (columns, rows), how many there are, and which are in order."""
    n_columns, rows = task.columns.size, task.rows
    codes = np.empty((n_columns, rows.size), np.uint8)
    n_codes, numeric = np.empty(n_columns, np.int64), np.empty(n_columns, np.bool_)
    for j in range(n_columns):
        cells = table.codes[task.columns[j]]
        n_codes[j], numeric[j] = table.n_codes[task.columns[j]], table.numeric[task.columns[j]]
        for i in range(rows.size):
            codes[j, i] = cells[rows[i]]
    return codes, n_codes, numeric


@inner
def _table_parts(
    table: GrowTable,
    task: OpenSlice,
    codes: Kinds,
    n_codes: Offsets,
    numeric: Bools,
    which: Bools,
    critical: Floats,
    options: GrowthOptions,
) -> Offsets:
    """Test some of the columns by their tables; the others are parts by themselves."""
    place, n = np.empty(which.size, np.int64), 0
    label = np.empty(which.size, np.int64)
    for j in range(which.size):
        label[j] = j
        if which[j]:
            place[n] = j
            n += 1
    if n < 2:
        return label
    some, its_codes = np.empty((n, codes.shape[1]), np.uint8), np.empty(n, np.int64)
    its_numeric = np.empty(n, np.bool_)
    for k in range(n):
        its_codes[k], its_numeric[k] = n_codes[place[k]], numeric[place[k]]
        for i in range(codes.shape[1]):
            some[k, i] = codes[place[k], i]
    sums, groups = pair_tables(some, task.weights, its_codes, its_numeric, not options.ranks)
    mass, squares = 0.0, 0.0
    for i in range(task.rows.size):
        mass += task.weights[i]
        squares += task.weights[i] * task.weights[i] / table.weights[task.rows[i]]
    found = link_tables(
        sums, groups, its_numeric, mass / squares, critical, options.least_mass, options.g_test
    )
    for k in range(n):
        label[place[k]] = place[found[k]]
    return label
