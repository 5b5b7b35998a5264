"""Add up what the leaves of a slice are estimated from."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.grow.bins import MISSING
from softlearn.kernels.grow.stacks import add_node
from softlearn.kernels.grow.work import LEAF, N_MOMENTS, GrowTable, Nodes, OpenSlice


@inner
def add_leaves(
    table: GrowTable,
    data: RowData,
    task: OpenSlice,
    which: Bools,
    nodes: Nodes,
    parent: int,
    edge: float,
) -> int:
    """Add leaves over some of the slice's columns, with their statistics; return how many.

    A column without a cell takes what an ancestor knew of it.
    """
    n, sums = 0, listed_weights(data)
    for j in range(which.size):
        if which[j]:
            leaf = add_node(nodes, LEAF, parent, edge)
            nodes.column[leaf] = task.columns[j]
            nodes.place[leaf] = task.fallback[j]
            if task.fallback[j] < 0:
                nodes.place[leaf] = add_statistics(table, data, sums, task, j, nodes)
            n += 1
    return n


@inner
def listed_weights(data: RowData) -> Floats:
    """Return the weight of the rows with each feature, for compressed rows; a matrix needs none."""
    sums = np.zeros(0 if data.dense.shape[0] > 0 else data.groups[-1])
    for i in range(data.start.size - 1):
        for e in range(data.start[i], data.start[i + 1]):
            sums[data.feature[e]] += data.weights[i]
    return sums


@inner
def add_statistics(
    table: GrowTable, data: RowData, sums: Floats, task: OpenSlice, j: int, nodes: Nodes
) -> int:
    """Write the statistics of the slice's column j, for which there must be room; return where.

    `sums` are the slice's `listed_weights`.
    """
    column, place = task.columns[j], nodes.size[1]
    out = nodes.statistics[place : place + table.n_statistics[column]]
    group, number = 0, 0  # its position among the columns with indicators, and with numbers
    for k in range(j):
        group += table.feature_start[task.columns[k] + 1] > table.feature_start[task.columns[k]]
        number += table.number_of[task.columns[k]] >= 0
    at = 0
    if table.feature_start[column + 1] > table.feature_start[column]:
        at = _level_weights(data, sums, group, out)
    if table.number_of[column] >= 0:
        centred_moments(data.numbers[number], task.weights, table.weights, task.rows, out[at:])
        at += N_MOMENTS
    if table.bins_of[column] >= 0:
        _bin_weights(table, task, column, out[at:])
    nodes.size[1] += table.n_statistics[column]
    return place


@inner
def _level_weights(data: RowData, sums: Floats, group: int, out: Floats) -> int:
    """Write the weights of a column's levels; return how many there are."""
    first, n = data.groups[group], data.groups[group + 1] - data.groups[group]
    ones = out[1:] if data.single[group] else out
    for k in range(n):
        if data.dense.shape[0] > 0:
            cells, total = data.dense[first + k], 0.0
            for i in range(data.weights.size):
                total += data.weights[i] * cells[i]
            ones[k] = total
        else:
            ones[k] = sums[first + k]
    if not data.single[group]:
        return int(n)
    mass = 0.0
    for i in range(data.weights.size):
        mass += data.weights[i]
    out[0] = max(mass - out[1], 0.0)
    return 2


@kernel
def centred_moments(
    cells: Floats, weights: Floats, own: Floats, rows: AnyArray, out: Floats
) -> None:
    """Write the fields of ``softlearn.leaf.GaussianStats`` to out.

    c equal rows of the table were merged to one that weighs own[row] = c, so of w in the slice each
    has w / c, and they add w² / c to the sum of squares. Missing cells do not count.
    """
    weight, squares, heaviest, centre = 0.0, 0.0, 0.0, 0.0
    for i in range(cells.size):
        x, w = cells[i], weights[i]
        if x == x:
            weight += w
            squares += w * w / own[rows[i]]
            if w > heaviest:
                heaviest, centre = w, x
    offset = 0.0
    for i in range(cells.size):
        offset += weights[i] * (cells[i] - centre) if cells[i] == cells[i] else 0.0
    offset = offset / weight if weight > 0.0 else 0.0
    scatter = 0.0
    for i in range(cells.size):
        gap = cells[i] - centre - offset
        scatter += weights[i] * gap * gap if cells[i] == cells[i] else 0.0
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
