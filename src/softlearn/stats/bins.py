"""Small integer codes for all cells of a table, which the tests of independence read."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Kinds, Offsets
from softlearn.numeric_policy import ROUNDING

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


class CodeMap(NamedTuple):
    """A map from the cells of a column to small codes.

    Levels, and cells of a scale, are positions in a list of codes; plain numbers have the code of
    the first bin whose upper end is not below them. The unused one of both arrays is empty.
    """

    by_level: Kinds
    upper: Floats
    n_codes: int

    def codes(self, cells: Floats) -> Kinds:
        """Return the code of each cell, 255 where missing."""
        seen = ~np.isnan(cells)
        codes = np.full(cells.size, MISSING, np.uint8)
        if self.upper.size:
            bins = np.searchsorted(self.upper, cells[seen])
            codes[seen] = np.minimum(bins, self.upper.size - 1)
        elif self.by_level.size:
            codes[seen] = self.by_level[cells[seen].astype(np.intp)]
        return codes


def map_of_levels(mass: Floats) -> CodeMap:
    """Return the codes of levels, given their weights; rare ones of very many share one."""
    n_seen = _n_seen(mass)
    codes = most_frequent(mass[:n_seen], KEPT_LEVELS)
    return _by_level(codes, mass)


def map_of_cells(mass: Floats) -> CodeMap:
    """Return the codes of a scale's cells, given their weights: those in use, or quantiles."""
    seen = np.flatnonzero(mass > 0.0)
    codes = np.zeros(_n_seen(mass), np.uint8)
    codes[seen] = _fine_codes(mass[seen])
    return _by_level(codes, mass)


def map_of_numbers(values: Floats, mass: Floats) -> CodeMap:
    """Return the codes of different numbers in order, given their weights; equal ones share one."""
    if not values.size:
        return map_of_levels(mass)
    codes = _fine_codes(mass)
    upper = values[np.append(np.flatnonzero(np.diff(codes)), codes.size - 1)]
    return CodeMap(np.zeros(0, np.uint8), upper, upper.size)


def _fine_codes(mass: Floats) -> AnyArray:
    return (
        np.arange(mass.size, dtype=np.uint8)
        if mass.size <= FINE_BINS
        else quantile_bins(mass, FINE_BINS)
    )


def _n_seen(mass: Floats) -> int:
    """Return how many levels there are up to the last that a row has."""
    return int(np.flatnonzero(mass > 0.0).max(initial=-1)) + 1


def _by_level(codes: AnyArray, mass: Floats) -> CodeMap:
    in_use = codes[mass[: codes.size] > 0.0]
    return CodeMap(codes, np.zeros(0), int(in_use.max(initial=0)) + 1)


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


def histogram_edges(values: Floats, mass: Floats) -> Floats:
    """Return the edges of a column's histogram: quantiles, the ends a little outside.

    `values` are different and in order, `mass` is their weight.
    """
    if not values.size:
        return np.array([0.0, 1.0])
    share = (np.cumsum(mass) - mass / 2.0) / mass.sum()
    inner = np.interp(np.linspace(0, 1, HISTOGRAM_BINS + 1)[1:-1], share, values)
    lowest, highest = float(values[0]), float(values[-1])
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
