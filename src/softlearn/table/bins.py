"""Coarse bins of a column's cells: with about equal shares, cut where the density is low."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.numeric_policy import SMALLEST_PROBABILITY

# The number of bins grows with the rows of a column. With 32 bins, columns of a few hundred rows
# score lower, and criteria such as BIC penalise the unnecessary parameters.
FEWEST_BINS: Final = 16
MOST_BINS: Final = 32
_ROWS_OF_A_BIN = 100.0
_VALLEY = 0.5  # a cut moves to where the density is below this share of that on both sides
# A cut separates two humps if the density there is below this share of that on both sides. With
# one hump and a hundred rows it can be as low as 0.5; with two humps that are six deviations apart
# it is mostly below this, from a few hundred rows on.
_DEEP_VALLEY = 0.25
_THIN = 0.005  # share of the column on each side of a cut: the valley
_AROUND = 0.125  # share of the column on each side of a cut that the valley is compared with
_LEAST_HUMP = 0.03  # the least share of the column in a hump
_CORE = 0.1  # share of the surroundings that is left out at each end


class Bins(NamedTuple):
    """The first cell of each coarse bin, and of each hump except the first."""

    bins: Offsets
    humps: Offsets


def find_bins(share: Floats, size: Floats, atom: Bools, n_rows: float) -> Bins:
    """Return the coarse bins of a column's cells; none if there would be only one.

    Leaves have a probability for each bin. A cut may move by up to half a bin to where the density
    is low, so that no bin contains the end of one hump and the beginning of the next.

    Parameters
    ----------
    share
        (cells,) the probability of each cell.
    size
        (cells,) the number of values of a cell, or its length; 0 if it is not comparable.
    atom
        (cells,) which cells are atoms, which have their own probability and are not in bins.
    n_rows
        The number of rows with a value in the column.
    """
    rest = np.flatnonzero(~atom)
    total = float(share[rest].sum())
    none = np.empty(0, np.int64)
    if rest.size < 2 or total <= 0.0:
        return Bins(none, none)
    own, size = share[rest] / total, size[rest]
    size = size / (float(size.max()) or 1.0)  # so that sums of huge tails do not overflow
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        density = np.where(size > 0.0, own / size, np.nan)
    middle = np.cumsum(own) - 0.5 * own
    n_bins = int(np.clip(n_rows / _ROWS_OF_A_BIN, FEWEST_BINS, MOST_BINS))
    cuts = np.unique([_cut(middle, density, size, b, n_bins) for b in range(1, n_bins)])
    cuts = cuts[(cuts > 0) & (cuts < rest.size)]
    if not cuts.size:
        return Bins(none, none)
    humps = [cut for cut in cuts.tolist() if _is_deep(own, size, rest, cut)]
    return Bins(np.append(rest[0], rest[cuts]), rest[np.array(humps, np.int64)])


def _is_deep(share: Floats, size: Floats, cell: Offsets, cut: int) -> bool:
    """Return whether the density is low at a cut, and much higher on both sides of it.

    If the cells around the cut are not consecutive, there is an atom between them, so this is not a
    gap.
    """
    if min(share[:cut].sum(), share[cut:].sum()) < _LEAST_HUMP:
        return False
    sides = [(share[cut - 1 :: -1], size[cut - 1 :: -1]), (share[cut:], size[cut:])]
    thin_share, thin_size, n_thin, core = 0.0, 0.0, [], []
    for own, length in sides:
        up_to = np.cumsum(own)
        few = int(np.searchsorted(up_to, _THIN)) + 1
        thin_share, thin_size = thin_share + own[:few].sum(), thin_size + length[:few].sum()
        n_thin.append(min(few, own.size))
        ends = min(_AROUND, float(up_to[-1])) * np.array([_CORE, 1.0 - _CORE])
        begin, end = np.interp(ends, np.append(0.0, up_to), np.append(0.0, np.cumsum(length)))
        core.append((ends[1] - ends[0]) / max(end - begin, SMALLEST_PROBABILITY))
    first, last = cut - n_thin[0], cut + n_thin[1] - 1
    if cell[last] - cell[first] > last - first:
        return False
    return bool(thin_share < _DEEP_VALLEY * min(core) * thin_size)


def _cut(middle: Floats, density: Floats, size: Floats, before: int, n_bins: int) -> int:
    """Return the first cell after a number of equal bins, or the middle of a valley nearby."""
    share, half = before / n_bins, 0.5 / n_bins
    usual = int(np.searchsorted(middle, share))
    first, last = np.searchsorted(middle, [share - half, share + half])
    near = density[first:last]
    if not np.isfinite(near).any():
        return usual
    lowest = int(first + np.nanargmin(near))
    begin, end = np.searchsorted(middle, [share - 2.0 * half, share + 2.0 * half])
    sides = (density[begin:lowest], density[lowest + 1 : end])
    higher = [float(np.nanmax(side)) for side in sides if np.isfinite(side).any()]
    if len(higher) < 2 or density[lowest] > _VALLEY * min(higher):
        return usual
    ends = np.flatnonzero(~(density[first:last] * _VALLEY <= density[lowest]))
    begin = first + int(ends[ends < lowest - first].max(initial=-1)) + 1
    end = first + int(ends[ends > lowest - first].min(initial=last - first))
    up_to = np.append(0.0, np.cumsum(size[begin:end]))
    return int(begin + np.argmin(np.abs(up_to - 0.5 * up_to[-1])))
