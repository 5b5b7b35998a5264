"""The contribution of some rows to a slice's statistics, when rows lie in several parts.

These are the pieces of ``softlearn.kernels.grow.growth`` as separate kernels. They are compiled for
the first slice that is too large to be split in one call.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Kinds, Offsets
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.compile import allocating_inner, allocating_kernel, kernel
from softlearn.kernels.grow.bins import MISSING, code_masses, join_codes, pair_sums_of_levels
from softlearn.kernels.grow.dependence import codes_of, sums_of_ones
from softlearn.kernels.grow.growth import add_nodes, children_of, is_last, kind_of
from softlearn.kernels.grow.leaves import add_statistics
from softlearn.kernels.grow.ranks import add_pairs, codes_in_use, is_linked
from softlearn.kernels.grow.slices import heavy
from softlearn.kernels.grow.work import (
    Children,
    GrowTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    Split,
)


@allocating_inner
def _slice_of(rows: Ids, weights: Floats, columns: Ids) -> OpenSlice:
    """Return some rows and columns as a slice; its other fields are not used."""
    fallback = np.empty(columns.size, np.int64)
    for j in range(columns.size):
        fallback[j] = -1
    return OpenSlice(rows, weights, columns, fallback, -1, 1.0, np.uint64(0), 0, False, 0.0)


@allocating_kernel
def weigh(table: GrowTable, rows: Ids, weights: Floats) -> Floats:
    """Return how many rows there are, their weight, and Σ w² / own weight."""
    found = np.zeros(3)
    found[0] = rows.size
    for i in range(rows.size):
        found[1] += weights[i]
        found[2] += weights[i] * weights[i] / table.weights[rows[i]]
    return found


@allocating_kernel
def masses_of_codes(table: GrowTable, rows: Ids, weights: Floats, columns: Ids) -> Floats:
    """Return the weight of each code, (columns, 256)."""
    codes, _, _ = codes_of(table, _slice_of(rows, weights, columns), True)
    return code_masses(codes, weights)


@allocating_kernel
def joined_levels(
    mass: Floats, n_codes: Offsets, numeric: Bools, coarse: bool
) -> tuple[Kinds, AnyArray, Offsets]:
    """Return the level and the middle rank of each code, and where a column's levels begin."""
    return join_codes(mass, n_codes, numeric, coarse)


@allocating_kernel
def sums_of_levels(
    table: GrowTable,
    rows: Ids,
    weights: Floats,
    columns: Ids,
    level: Kinds,
    mid_rank: AnyArray,
    groups: Offsets,
) -> Floats:
    """Return the products of all pairs of features, added up by weight."""
    codes, _, numeric = codes_of(table, _slice_of(rows, weights, columns), True)
    return pair_sums_of_levels(codes, weights, level, mid_rank, groups, numeric)


@allocating_kernel
def pairs_of_ones(data: RowData, mass: float) -> Floats:
    """Return the weight of the rows where two two-level columns both have their second level."""
    return sums_of_ones(data, mass)


@allocating_kernel
def ranks_in_use(mass: Floats) -> tuple[Kinds, Offsets]:
    """Return each code's place among those that rows have, by their weights, and their number."""
    return codes_in_use(mass)


@allocating_kernel
def rank_tables(
    table: GrowTable,
    rows: Ids,
    weights: Floats,
    columns: Ids,
    place: Kinds,
    n_used: Offsets,
    i: int,
    others: Ids,
) -> Floats:
    """Return the concatenated tables of a slice's column i and each of some others."""
    codes, _, _ = codes_of(table, _slice_of(rows, weights, columns), True)
    size = 0
    for j in others:
        size += n_used[i] * n_used[j]
    found = np.zeros(size)
    at = 0
    for j in others:
        end = at + n_used[i] * n_used[j]
        own = found[at:end].reshape((n_used[i], n_used[j]))
        add_pairs(codes[i], codes[j], weights, place[i], place[j], own)
        at = end
    return found


@allocating_kernel
def is_linked_by_ranks(table: Floats, numeric: bool, far: float, critical: Floats) -> bool:
    """Return whether a number, whose ranks are the table's rows, depends on its columns."""
    return is_linked(table, numeric, far, critical)


@allocating_kernel
def weigh_clusters(
    table: GrowTable,
    rows: Ids,
    weights: Floats,
    columns: Ids,
    membership: Floats,
    min_weight: float,
) -> Floats:
    """Return per cluster the rows that it keeps, its weight, and cells per column, (c, 2 + j).

    Cells are counted in columns with gaps.
    """
    found = np.zeros((membership.shape[0], 2 + columns.size))
    for c in range(membership.shape[0]):
        n, mass = heavy(rows, weights, membership[c], table.weights, min_weight)
        found[c, 0], found[c, 1] = n, mass
        for j in range(columns.size):
            if not table.has_gaps[columns[j]]:
                continue
            codes = table.codes[columns[j]]
            for i in range(rows.size):
                is_carried = weights[i] * membership[c, i] > min_weight * table.weights[rows[i]]
                found[c, 2 + j] += is_carried and codes[rows[i]] != MISSING
    return found


@allocating_kernel
def statistics_of(
    table: GrowTable, data: RowData, rows: Ids, weights: Floats, columns: Ids, which: Bools
) -> Floats:
    """Return the concatenated statistics of some of the columns."""
    size = 0
    for j in range(columns.size):
        size += table.n_statistics[columns[j]] if which[j] else 0
    nothing = np.zeros(0, np.int64)
    nodes = Nodes(
        np.zeros(2, np.int64),
        np.zeros(0, np.uint8),
        nothing,
        np.zeros(0),
        np.zeros(0, np.int32),
        nothing,
        np.zeros(size),
    )
    add_statistics(table, data, _slice_of(rows, weights, columns), which, nodes)
    return nodes.statistics


@kernel
def is_closed(task: OpenSlice, mass: float, options: GrowthOptions) -> bool:
    """Return whether limits close a slice of this weight, without reading its rows."""
    return is_last(task, mass, options)


@kernel
def what_becomes_of(split: Split) -> int:
    """Return whether a slice becomes a product, a sum, or leaves."""
    return kind_of(split)


@allocating_kernel
def close_or_split(
    task: OpenSlice, split: Split, places: Offsets, nodes: Nodes
) -> tuple[int, int, Children]:
    """Add the slice's own nodes, for which there must be room; return kind, node and children."""
    kind = kind_of(split)
    node = add_nodes(task, kind, split, places, nodes)
    return kind, node, children_of(task, kind, split.n_columns, split.n_rows, split.mass)
