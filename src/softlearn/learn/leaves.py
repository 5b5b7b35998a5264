"""Finish the leaves of a grown tree: all leaves over a column at once, from their statistics."""

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
from softlearn.stats.table import TrainingTable
from softlearn.table.schema import Schema


class FinishedLeaves(NamedTuple):
    """The leaves of a tree, in the order of their nodes."""

    family: AnyArray  # (leaves,) position in FAMILIES
    param_start: Offsets  # (leaves + 1,)
    params: Floats  # behind each other


def with_histograms(schema: Schema, config: GrowConfig) -> Bools:
    """Return which columns have histograms as leaves, (columns,)."""
    return np.array([family_of(schema, config, i) is HISTOGRAM for i in range(len(schema))])


def finish_leaves(tree: Piece, table: TrainingTable, config: GrowConfig) -> FinishedLeaves:
    """Return the parameters of all leaves; a column never observed knows nothing."""
    nodes = np.flatnonzero(tree.kind == LEAF)
    column = tree.column[nodes]
    family, n_params = np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    found: list[tuple[AnyArray, Floats]] = []
    for own in np.unique(column).tolist():
        leaves = np.flatnonzero(column == own)
        places = tree.place[nodes[leaves]][:, None]
        statistics = tree.statistics[places + np.arange(table.arrays.n_statistics[own])]
        params = finish_column(statistics, own, table, config)
        family[leaves] = FAMILIES.index(family_of(table.schema, config, own))
        n_params[leaves] = params.shape[1]
        found.append((leaves, params))
    start = np.concatenate([[0], np.cumsum(n_params)])
    packed = np.empty(start[-1])
    for leaves, params in found:
        packed[start[leaves][:, None] + np.arange(params.shape[1])] = params
    return FinishedLeaves(family, start, packed)


def family_of(schema: Schema, config: GrowConfig, column: int) -> Family:
    """Return the family of a column's leaves."""
    about, chosen = schema.columns[column], config.leaf
    if about.is_discrete:
        return CATEGORICAL
    if about.scale is not None:
        return SCALED
    choice = chosen.get(about.name, "gaussian") if isinstance(chosen, Mapping) else chosen
    return HISTOGRAM if choice == "histogram" else GAUSSIAN


def finish_column(
    statistics: Floats, column: int, table: TrainingTable, config: GrowConfig
) -> Floats:
    """Return the parameters of all leaves over a column, (leaves, n), from their statistics."""
    family = family_of(table.schema, config, column)
    nothing = _know_nothing(family, column, table)
    params = np.tile(nothing, (statistics.shape[0], 1))
    n_bins = table.edges[column].size - 1 if family is HISTOGRAM else 0
    n_moments = N_MOMENTS if table.number_of[column] >= 0 else 0
    levels, moments, bins = np.split(
        statistics, [statistics.shape[1] - n_moments - n_bins, statistics.shape[1] - n_bins], axis=1
    )
    is_known = levels.sum(axis=1) + moments[:, :1].sum(axis=1) > 0.0
    if not is_known.any():
        return params
    levels, moments, bins = levels[is_known], moments[is_known], bins[is_known]
    floor = float(config.deviation_floor * table.spread[column])
    options = LeafOptions(smoothing=config.smoothing, deviation_floor=floor)
    if family is CATEGORICAL:
        options = LeafOptions(smoothing=pseudo_counts(table.level_weights[column], config))
        params[is_known] = CATEGORICAL.finish(CategoricalStats(levels), options)
    elif family is HISTOGRAM:
        params[is_known] = HISTOGRAM.finish(HistogramStats(table.edges[column], bins), options)
    elif family is SCALED:
        options = LeafOptions(smoothing=SCALE_SMOOTHING, deviation_floor=floor)
        params[is_known] = SCALED.finish(_scaled_stats(levels, moments), options)
    else:
        centre, spread = table.centre[column], table.spread[column]
        weight, pairs, middle, offset, scatter = moments.T
        stats = GaussianStats(
            weight, pairs, centre + spread * middle, spread * offset, spread**2 * scatter
        )
        params[is_known] = GAUSSIAN.finish(stats, options)
    return params


def _scaled_stats(levels: Floats, moments: Floats) -> ScaledStats:
    """Return the weights of atoms, without that of the rest, and the moments of the scores."""
    if not moments.shape[1]:
        moments = np.zeros((levels.shape[0], N_MOMENTS))
    return ScaledStats(levels[:, :-1], GaussianStats(*moments.T))


def _know_nothing(family: Family, column: int, table: TrainingTable) -> Floats:
    """Return the leaf of a column that no row of the whole table observes."""
    about = table.schema.columns[column]
    if family is CATEGORICAL:
        return np.full(about.n_levels, 1.0 / about.n_levels)
    if family is HISTOGRAM:
        n_bins = table.edges[column].size - 1
        return np.append(table.edges[column], np.full(n_bins, 1.0 / n_bins))
    if family is SCALED:
        cells = cells_of(about)
        return SCALED.column_itself(0 if cells is None else int(cells.atom.sum()))
    return np.array([0.0, 1.0])


def pseudo_counts(weights: Floats, config: GrowConfig) -> Floats:
    """Return what is added to the weight of each level of columns, given their weights.

    Per level, every level gets the same; per column, all levels together get it, by their share
    of the column, so that a column of forty levels is not forty times as noisy as a flag.
    """
    shares = np.ones(weights.shape)
    if config.smoothing_per == "column":
        # Levels never seen stay possible.
        total = weights.sum(axis=-1, keepdims=True) + 0.5
        shares = (weights + 0.5 / weights.shape[-1]) / total
    return config.smoothing * shares
