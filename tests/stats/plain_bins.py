"""What a node makes of its codes, in plain NumPy: the reference of the kernel."""

from __future__ import annotations

import numpy as np

from softlearn.kernels.grow.bins import ON_EDGE, WEIGHT_PER_CELL
from softlearn.stats.bins import MISSING, MOST_NODE_BINS, Codes
from softlearn.stats.buckets import CodedRows
from softlearn.stats.facts import summarise
from softlearn.stats.independence import PairTables
from softlearn.stats.layout import layout_of
from softlearn.table.schema import Schema


def pair_codes(values: np.ndarray, weights: np.ndarray, schema: Schema) -> Codes:
    """The codes of rows as they are laid out for learning, in the order of the rows."""
    keys = np.arange(weights.size, dtype=np.uint64)
    layout = layout_of(summarise(CodedRows(values, weights, keys), schema), schema)
    coding = zip(layout.code_maps, values, strict=True)
    codes = np.array([one.codes(cells) for one, cells in coding])
    return Codes(codes, layout.n_codes, layout.numeric)


def mass_of(codes: np.ndarray, weights: np.ndarray, n_codes: int) -> np.ndarray:
    """The weight of the rows that have each code."""
    return np.bincount(codes, weights=weights, minlength=MISSING + 1)[:n_codes]


def joined_codes(
    codes: np.ndarray, weights: np.ndarray, n_codes: int, *, is_number: bool, coarse: bool = True
) -> tuple[np.ndarray, int]:
    """The level of each cell among the node's rows, and how many; missing stays missing."""
    mass = mass_of(codes, weights, n_codes)
    n_bins = max(2, int(np.sqrt(mass.sum() / WEIGHT_PER_CELL)))
    joined = np.full(MISSING + 1, MISSING, np.uint8)
    if is_number:
        n_bins = min(n_bins, MOST_NODE_BINS)
        bins = np.minimum(middles(mass) * n_bins + ON_EDGE, n_bins - 1)
        bins = bins.astype(int) if mass.sum() > 0.0 else np.zeros(n_codes, int)
        joined[:n_codes] = np.unique(bins, return_inverse=True)[1]
    elif n_codes <= n_bins or not coarse:
        joined[:n_codes] = np.arange(n_codes)
    else:
        joined[:n_codes] = n_bins - 1
        joined[np.argsort(-mass, kind="stable")[: n_bins - 1]] = np.arange(n_bins - 1)
    return joined[codes], int(joined[:n_codes].max()) + 1


def middles(mass: np.ndarray) -> np.ndarray:
    """The share of the weight up to the middle of each of the ordered codes."""
    return (np.cumsum(mass) - mass / 2.0) / mass.sum() if mass.sum() > 0.0 else 0.0 * mass


def pair_tables(codes: Codes, weights: np.ndarray, own: np.ndarray, *, coarse: bool) -> PairTables:
    """The sums from which all pairs of a node's columns are tested.

    `codes` are those of the node's rows alone; of `own`, what a row weighs in the whole table, it
    has `weights` in the node.
    """
    levels, ranks, groups = [], [], [0]
    for cells, n_codes, is_number in zip(*codes, strict=True):
        level, n = joined_codes(cells, weights, n_codes, is_number=is_number, coarse=coarse)
        levels.append((level == np.arange(n)[:, None]).astype(float))
        groups.append(groups[-1] + n)
        if is_number:
            place = np.append(middles(mass_of(cells, weights, n_codes)) - 0.5, np.zeros(1))
            rank = place[np.minimum(cells, n_codes)]
            ranks += [rank, rank**2]
    features = np.concatenate([*levels, np.reshape(ranks, (len(ranks), weights.size))])
    rows_a_weight = float(weights.sum() / (weights**2 / own).sum())
    sums = (features * weights) @ features.T
    return PairTables(sums, np.array(groups), codes.numeric, rows_a_weight)
