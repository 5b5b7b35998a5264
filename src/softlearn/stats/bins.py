"""Small codes for all cells of a table, from which the tests of independence are made."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Kinds, Offsets
from softlearn.numeric_policy import ROUNDING
from softlearn.table.schema import Schema

FINE_BINS: Final = 64  # made once for the whole table, at quantiles of each number
HISTOGRAM_BINS: Final = 32  # of a histogram leaf, at quantiles of the whole column
MISSING: Final = 255
MOST_NODE_BINS: Final = 4  # of a number, in the tests of a node
KEPT_LEVELS: Final = 32  # the most frequent levels of a column; the others are tested as one


class Codes(NamedTuple):
    """Codes of all cells."""

    codes: Kinds  # (columns, rows), 255 where missing
    n_codes: Offsets  # (columns,)
    numeric: Bools  # (columns,) whether codes are in the order of the numbers


def pair_codes(values: Floats, weights: Floats, schema: Schema) -> Codes:
    """Return the codes that a node joins to levels and ranks."""
    numeric = ~np.array([column.is_discrete for column in schema.columns])
    codes = np.full(values.shape, MISSING, np.uint8)
    n_codes = np.ones(len(schema), np.int64)
    for i, cells in enumerate(values):
        seen = ~np.isnan(cells)
        if seen.any():
            make = _fine_codes if numeric[i] else _level_codes
            codes[i, seen] = make(cells[seen], weights[seen])
            n_codes[i] = int(codes[i, seen].max()) + 1
    return Codes(codes, n_codes, numeric)


def _level_codes(cells: Floats, weights: Floats) -> AnyArray:
    """Return the codes of levels; rare levels of a column with very many share one."""
    code = cells.astype(np.int64)
    if code.max() < KEPT_LEVELS:
        return code.astype(np.uint8)
    mass = np.bincount(code, weights=weights).astype(np.float64)
    return most_frequent(mass, KEPT_LEVELS)[code]


def _fine_codes(cells: Floats, weights: Floats) -> AnyArray:
    """Return the bin of each number; equal numbers share a bin."""
    distinct, position = np.unique(cells, return_inverse=True)
    if distinct.size <= FINE_BINS:
        return position.astype(np.uint8)
    mass = np.bincount(position, weights=weights).astype(np.float64)
    return quantile_bins(mass, FINE_BINS)[position]


def most_frequent(mass: Floats, n_kept: int) -> AnyArray:
    """Return codes of levels of which all but the heaviest share one."""
    if mass.size <= n_kept:
        return np.arange(mass.size, dtype=np.uint8)
    small = np.full(mass.size, n_kept - 1)
    small[np.argsort(-mass, kind="stable")[: n_kept - 1]] = np.arange(n_kept - 1)
    return small.astype(np.uint8)


def quantile_bins(mass: Floats, n_bins: int) -> AnyArray:
    """Return the bin of each of the ordered cells, about equally much weight in each bin."""
    if mass.sum() <= 0.0:
        return np.zeros(mass.size, np.uint8)
    middles = (np.cumsum(mass) - mass / 2.0) / mass.sum()
    bins = np.minimum((middles * n_bins).astype(np.int64), n_bins - 1)
    # Bins that no cell falls into are closed up.
    return (np.cumsum(np.concatenate([[0], np.diff(bins) > 0]))).astype(np.uint8)


def histogram_edges(cells: Floats, weights: Floats) -> Floats:
    """Return the edges of a column's histogram: quantiles, the ends a little outside."""
    seen = ~np.isnan(cells)
    if not seen.any():
        return np.array([0.0, 1.0])
    x, w = cells[seen], weights[seen]
    order = np.argsort(x, kind="stable")
    share = (np.cumsum(w[order]) - w[order] / 2.0) / w.sum()
    inner = np.interp(np.linspace(0, 1, HISTOGRAM_BINS + 1)[1:-1], share, x[order])
    lowest, highest = float(x.min()), float(x.max())
    size = max(abs(lowest), abs(highest))
    width = highest - lowest if is_spread(highest - lowest, size) else size or 1.0
    margin = width / HISTOGRAM_BINS / 2.0
    return np.unique([lowest - margin, *inner, highest + margin])


def bin_codes(cells: Floats, edges: Floats) -> Kinds:
    """Return the bin of each cell, 255 where missing."""
    code = np.searchsorted(edges[1:-1], cells, side="right").astype(np.uint8)
    return np.where(np.isnan(cells), np.uint8(MISSING), code)


def is_spread(width: float, size: float) -> bool:
    """Return whether numbers of this size differ by more than rounding."""
    return width > ROUNDING * size
