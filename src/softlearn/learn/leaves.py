"""Estimate the parameters of a grown tree's leaves, for all leaves over a column at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Offsets
from softlearn.circuit import LEAF, cells_of
from softlearn.kernels.grow.work import N_MOMENTS
from softlearn.leaf import (
    CATEGORICAL,
    FAMILIES,
    GAUSSIAN,
    HISTOGRAM,
    SCALED,
    CategoricalStats,
    Family,
    GaussianStats,
    HistogramStats,
    LeafOptions,
    ScaledStats,
)
from softlearn.learn.config import GrowConfig
from softlearn.learn.pieces import Piece
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.stats.layout import Layout
from softlearn.table.schema import Column, Schema


class FinishedLeaves(NamedTuple):
    """The leaves of a tree, in the order of their nodes."""

    family: AnyArray  # (leaves,) position in FAMILIES
    param_start: Offsets  # (leaves + 1,)
    params: Floats  # of all leaves, concatenated


def with_histograms(schema: Schema, config: GrowConfig) -> Bools:
    """Return which columns have histograms as leaves, (columns,)."""
    return np.array([family_of(schema, config, i) is HISTOGRAM for i in range(len(schema))])


def finish_leaves(tree: Piece, table: Layout, config: GrowConfig) -> FinishedLeaves:
    """Return the parameters of all leaves; never observed columns get an uninformed leaf."""
    nodes = np.flatnonzero(tree.kind == LEAF)
    column, n_statistics = tree.column[nodes], table.n_statistics
    family, n_params = np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    found: list[tuple[AnyArray, Floats]] = []
    for columns in _alike(table, config):
        leaves = np.flatnonzero(np.isin(column, columns))
        places = tree.place[nodes[leaves]][:, None]
        statistics = tree.statistics[places + np.arange(n_statistics[columns[0]])]
        params = finish_alike(statistics, column[leaves], table, config)
        family[leaves] = FAMILIES.index(family_of(table.schema, config, columns[0]))
        n_params[leaves] = params.shape[1]
        found.append((leaves, params))
    start = np.concatenate([[0], np.cumsum(n_params)])
    packed = np.empty(start[-1])
    for leaves, params in found:
        packed[start[leaves][:, None] + np.arange(params.shape[1])] = params
    return FinishedLeaves(family, start, packed)


def _alike(table: Layout, config: GrowConfig) -> list[list[int]]:
    """Return groups of columns whose leaves can be estimated together.

    Discrete columns with the same number of levels are one group. Each column of numbers is a
    group by itself, because it has its own cells, bins or unit.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for i, column in enumerate(table.schema.columns):
        key = (column.n_levels, -1) if column.is_discrete else (0, i)
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def family_of(schema: Schema, config: GrowConfig, column: int) -> Family:
    """Return the family of a column's leaves."""
    about, chosen = schema.columns[column], config.leaf
    if about.is_discrete:
        return CATEGORICAL
    if about.scale is not None:
        return SCALED
    choice = chosen.get(about.name, "gaussian") if isinstance(chosen, Mapping) else chosen
    return HISTOGRAM if choice == "histogram" else GAUSSIAN


def finish_column(statistics: Floats, column: int, table: Layout, config: GrowConfig) -> Floats:
    """Return the parameters of leaves over a column, (leaves, n), from their statistics."""
    return finish_alike(statistics, np.full(statistics.shape[0], column), table, config)


def finish_alike(
    statistics: Floats, columns: AnyArray, table: Layout, config: GrowConfig
) -> Floats:
    """Return the parameters of leaves over columns that are alike, (leaves, n)."""
    column = int(columns[0]) if columns.size else 0
    family = family_of(table.schema, config, column)
    nothing = uninformed_leaf(table.schema.columns[column], table.edges.get(column))
    params = np.tile(nothing, (columns.size, 1))
    n_bins = int(table.n_bins[column])
    n_moments = N_MOMENTS if table.number_of[column] >= 0 else 0
    size = statistics.shape[1]
    parts = np.split(statistics, [size - n_moments - n_bins, size - n_bins], axis=1)
    is_known = parts[0].sum(axis=1) + parts[1][:, :1].sum(axis=1) > 0.0
    if not is_known.any():
        return params
    levels, moments, bins = (part[is_known] for part in parts)
    floor = float(config.deviation_floor * table.spread[column])
    options = LeafOptions(smoothing=config.smoothing, deviation_floor=floor)
    if family is CATEGORICAL:
        options = LeafOptions(smoothing=_pseudo_counts_of(levels, config))
        params[is_known] = CATEGORICAL.finish(CategoricalStats(levels), options)
    elif family is HISTOGRAM:
        params[is_known] = HISTOGRAM.finish(HistogramStats(table.edges[column], bins), options)
    elif family is SCALED:
        options = LeafOptions(smoothing=SCALE_SMOOTHING, deviation_floor=floor)
        scaled = SCALED.on(cells_of(table.schema.columns[column]))
        params[is_known] = scaled.finish(_scaled_stats(levels, moments, bins), options)
    else:
        centre, spread = table.centre[column], table.spread[column]
        weight, pairs, middle, offset, scatter = moments.T
        stats = GaussianStats(
            weight, pairs, centre + spread * middle, spread * offset, spread**2 * scatter
        )
        params[is_known] = GAUSSIAN.finish(stats, options)
    return params


def _scaled_stats(levels: Floats, moments: Floats, bins: Floats) -> ScaledStats:
    """Return the weights of atoms and bins and the moments of scores as statistics of leaves."""
    if not moments.shape[1]:
        moments = np.zeros((levels.shape[0], N_MOMENTS))
    return ScaledStats(levels[:, :-1], bins, GaussianStats(*moments.T))


def uninformed_leaf(column: Column, edges: Floats | None) -> Floats:
    """Return the parameters of a leaf over a column without an observed cell in the table."""
    if column.is_discrete:
        return np.full(column.n_levels, 1.0 / column.n_levels)
    if edges is not None:
        n_bins = edges.size - 1
        return np.append(edges, np.full(n_bins, 1.0 / n_bins))
    if column.scale is not None:
        return SCALED.on(cells_of(column)).column_itself()
    return np.array([0.0, 1.0])


def _pseudo_counts_of(levels: Floats, config: GrowConfig) -> Floats | float:
    """Return the pseudo-count of each level in each leaf, (leaves, levels) or (leaves, 1).

    With ``smoothing_per="column"``, the pseudo-counts of a leaf are proportional to the number of
    levels that it has seen, and shared equally by all levels: a leaf that has seen many levels is
    likely to see another. A level with less than one row in total weight counts in part.
    """
    if config.smoothing_per == "level":
        return config.smoothing
    seen = np.minimum(levels, 1.0).sum(axis=-1, keepdims=True)
    return np.asarray(config.smoothing * seen / levels.shape[-1])


def pseudo_counts(weights: Floats, config: GrowConfig) -> Floats:
    """Return the pseudo-count of each level for trees and parameter learning, given the weights.

    With ``smoothing_per="level"`` every level gets the same. With ``"column"`` the levels share it
    in proportion to their frequency, so that a column of forty levels is not smoothed forty times
    as much as a flag.
    """
    shares = np.ones(weights.shape)
    if config.smoothing_per == "column":
        # Levels never seen stay possible.
        total = weights.sum(axis=-1, keepdims=True) + 0.5
        shares = (weights + 0.5 / max(weights.shape[-1], 1)) / total
    return config.smoothing * shares
