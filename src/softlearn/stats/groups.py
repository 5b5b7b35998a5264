"""Statistics for the leaves of a number, for several groups of rows at a time."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import AnyArray, Floats
from softlearn.kernels.grow.work import N_MOMENTS
from softlearn.leaf import GaussianStats
from softlearn.stats.bins import MISSING
from softlearn.stats.states import SomeRows
from softlearn.stats.table import TrainingTable


def group_statistics(
    table: TrainingTable, column: int, some: SomeRows, group: AnyArray, n_groups: int
) -> Floats:
    """Return the statistics of a column of numbers in each group, (groups, statistics of a leaf).

    Parameters
    ----------
    table, column
        The table, and which column.
    some
        The rows and their weights; any of their columns may be the groups.
    group
        (rows,) the group of each row; 255 is none.
    n_groups
        How many groups there are.
    """
    rows, weights, _ = some
    found = np.zeros((n_groups, int(table.arrays.n_statistics[column])))
    n_levels = int(table.n_levels[column])
    at = n_levels
    if table.levels_of[column] >= 0:
        level = table.levels[table.levels_of[column]][rows]
        known = (level >= 0) & (group != MISSING)
        place = group[known] * np.int64(n_levels) + level[known]
        found[:, :at] = _sums(place, weights[known], n_groups * n_levels).reshape(n_groups, -1)
    if table.number_of[column] >= 0:
        number = table.numbers[table.number_of[column]][rows]
        own = table.weights[rows]
        found[:, at : at + N_MOMENTS] = _moments(number, weights, own, group, n_groups)
        at += N_MOMENTS
    if column in table.edges:
        n_bins = table.edges[column].size - 1
        code = table.bins[table.arrays.bins_of[column]][rows]
        known = (code != MISSING) & (group != MISSING)
        place = group[known] * np.int64(n_bins) + code[known]
        found[:, at:] = _sums(place, weights[known], n_groups * n_bins).reshape(n_groups, -1)
    return found


def _moments(x: Floats, weights: Floats, own: Floats, group: AnyArray, n_groups: int) -> Floats:
    """Return the fields of ``softlearn.leaf.GaussianStats`` of each group, (groups, 5)."""
    known = ~np.isnan(x) & (group != MISSING)
    x, w, own, g = x[known], weights[known], own[known], group[known].astype(np.int64)
    weight = _sums(g, w, n_groups)
    squares = _sums(g, w * w / own, n_groups)
    filled = np.where(weight > 0.0, weight, 1.0)
    mean = _sums(g, w * x, n_groups) / filled
    offset = _sums(g, w * (x - mean[g]), n_groups) / filled  # correct the mean for rounding
    scatter = _sums(g, w * (x - mean[g] - offset[g]) ** 2, n_groups)
    pairs = np.maximum(weight * weight - squares, 0.0)
    return np.stack([weight, pairs, mean, offset, scatter], axis=1)


def _sums(place: AnyArray, weights: Floats, n: int) -> Floats:
    return np.bincount(place, weights, n).astype(np.float64)


def with_pseudo_rows(found: Floats, whole: Floats, n_rows: float, n_levels: int) -> Floats:
    """Return statistics of groups with pseudo-rows, which are distributed like all rows.

    A group without a row has the distribution of all rows.

    Parameters
    ----------
    found
        (groups, statistics).
    whole
        (statistics,) of all rows.
    n_rows
        The number of pseudo-rows.
    n_levels
        How many levels the column has; their weights come first.
    """
    # The total weight is that of the levels; columns without levels have it in their moments.
    mass = slice(n_levels) if n_levels else slice(1)
    total = float(whole[mass].sum())
    if total <= 0.0:
        return found
    is_empty = found[:, mass].sum(axis=1) <= 0.0
    n_each = np.where(is_empty, max(n_rows, 1.0), n_rows)[:, None] / total
    mixed = found + n_each * whole
    at = slice(n_levels, n_levels + N_MOMENTS)
    if whole[at].size == N_MOMENTS:
        own, prior = GaussianStats(*found[:, at].T), whole[at]
        weight = n_each[:, 0] * prior[0]
        more = GaussianStats(weight, weight * weight, prior[2], prior[3], n_each[:, 0] * prior[4])
        mixed[:, at] = merged_moments(own, more)
    return mixed


def merged_moments(a: GaussianStats, b: GaussianStats) -> Floats:
    """Return the moments of groups together with pseudo-rows, (groups, 5)."""
    total = a.weight + b.weight
    part = b.weight / np.where(total > 0.0, total, 1.0)
    gap = (b.centre - a.centre) + (b.offset - a.offset)
    return np.stack(
        [
            total,
            a.pairs + b.pairs + 2.0 * a.weight * b.weight,
            a.centre + np.zeros_like(total),
            a.offset + gap * part,
            a.scatter + b.scatter + gap * gap * a.weight * part,
        ],
        axis=1,
    )
