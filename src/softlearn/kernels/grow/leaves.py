"""Add up the statistics of the leaves of a slice."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import allocating_inner, inner
from softlearn.kernels.grow.bins import MISSING
from softlearn.kernels.grow.work import N_MOMENTS, GrowTable, Nodes, OpenSlice


@allocating_inner
def add_statistics(
    table: GrowTable, data: RowData, task: OpenSlice, which: Bools, nodes: Nodes
) -> Offsets:
    """Write the statistics of some of the slice's columns; return where those of each begin.

    A column that is not in `which` has those of an ancestor, or -1. There must be room.
    """
    places, k, ones = np.empty(which.size, np.int64), np.int64(0), _weights_of_ones(data)
    for j in range(which.size):
        column = task.columns[j]
        places[j] = task.fallback[j]
        if which[j]:
            places[j] = nodes.size[1]
            out = nodes.statistics[places[j] : places[j] + table.n_statistics[column]]
            _write(table, data, task, column, k, ones, out)
            nodes.size[1] += out.size
        k += table.single_of[column] >= 0
    return places


@allocating_inner
def _weights_of_ones(data: RowData) -> Floats:
    """Return the weight of all rows, and of the ones of each single column of compressed rows."""
    sums = np.zeros(1 + (data.single.size if data.feature.size > 0 else 0))
    for i in range(data.weights.size):
        sums[0] += data.weights[i]
    for i in range(data.start.size - 1):
        for e in range(data.start[i], data.start[i + 1]):
            sums[1 + data.feature[e]] += data.weights[i]
    return sums


@inner
def _write(
    table: GrowTable,
    data: RowData,
    task: OpenSlice,
    column: int,
    k: np.int64,
    ones: Floats,
    out: Floats,
) -> None:
    """Write the statistics of a column, before which the slice has k single columns."""
    at = table.n_levels[column]
    if table.single_of[column] >= 0:
        _single_weights(data, ones, k, out)
    elif table.levels_of[column] >= 0:
        _level_weights(table.levels[table.levels_of[column]], task.rows, task.weights, out[:at])
    if table.number_of[column] >= 0:
        cells = table.numbers[table.number_of[column]]
        centred_moments(cells, task.rows, task.weights, table.weights, out[at:])
        at += N_MOMENTS
    if table.bins_of[column] >= 0:
        _bin_weights(table, task, column, out[at:])


@inner
def _single_weights(data: RowData, ones: Floats, k: np.int64, out: Floats) -> None:
    """Write the weights of the two levels of the slice's k-th single column."""
    total = ones[1 + k] if ones.size > 1 else 0.0
    if data.dense.shape[0] > 0:
        cells = data.dense[k]
        for i in range(data.weights.size):
            total += data.weights[i] * cells[i]
    out[0], out[1] = max(ones[0] - total, 0.0), total


@inner
def _level_weights(cells: Ids, rows: Ids, weights: Floats, out: Floats) -> None:
    """Write the weights of a column's levels."""
    for k in range(out.size):
        out[k] = 0.0
    for i in range(rows.size):
        if cells[rows[i]] >= 0:
            out[cells[rows[i]]] += weights[i]


@inner
def centred_moments(cells: Floats, rows: Ids, weights: Floats, own: Floats, out: Floats) -> None:
    """Write the fields of ``softlearn.leaf.GaussianStats`` of some rows to out.

    c equal rows of the table were merged to one of weight own[row] = c. If its weight in the slice
    is w, each has w / c, and they add w² / c to the sum of squares. Missing cells do not count.
    """
    weight, squares, heaviest, centre = 0.0, 0.0, 0.0, 0.0
    for i in range(rows.size):
        x, w = cells[rows[i]], weights[i]
        if x == x:
            weight += w
            squares += w * w / own[rows[i]]
            if w > heaviest:
                heaviest, centre = w, x
    offset = 0.0
    for i in range(rows.size):
        x = cells[rows[i]]
        offset += weights[i] * (x - centre) if x == x else 0.0
    offset = offset / weight if weight > 0.0 else 0.0
    scatter = 0.0
    for i in range(rows.size):
        x = cells[rows[i]]
        gap = x - centre - offset
        scatter += weights[i] * gap * gap if x == x else 0.0
    out[0], out[1] = weight, max(weight * weight - squares, 0.0)
    out[2], out[3], out[4] = centre, offset, scatter


@inner
def _bin_weights(table: GrowTable, task: OpenSlice, column: int, out: Floats) -> None:
    """Add up the weights of a column's bins."""
    cells = table.bins[table.bins_of[column]]
    for k in range(table.n_bins[column]):
        out[k] = 0.0
    for i in range(task.rows.size):
        if cells[task.rows[i]] != MISSING:
            out[cells[task.rows[i]]] += task.weights[i]
