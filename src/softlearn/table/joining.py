"""Join the many values of a column in fewer bins, independent of the order and partition of rows.

Numbers are joined if their leading bits agree. The number of bits is the largest for which there
are few enough bins. Some of the rows never need fewer bits than all of them, so merging the bins of
parts gives exactly the bins of the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets, States

MOST_VALUES: Final = 2**16  # values per column in a summary
N_ENDS: Final = 6  # values on each side that are never joined, to recognise limits of a column


class Bins(NamedTuple):
    """Values in ascending order, some of them joined.

    Attributes
    ----------
    low, high
        (bins,) the lowest and the highest value; equal if there is only one.
    weight
        (bins,) the total weight.
    dropped
        How many of the 64 bits of a number are ignored.
    """

    low: Floats
    high: Floats
    weight: Floats
    dropped: int = 0


class Ends(NamedTuple):
    """The lowest and highest values, which are never joined, and the weight of each."""

    value: Floats
    weight: Floats


def joined(parts: Sequence[Bins], most: int | None = None) -> Bins:
    """Return the bins of all parts; bins are joined if their leading bits agree.

    At most as many bits count as in every part, and so few that there are at most so many bins.
    """
    low = np.concatenate([part.low for part in parts])
    order = np.argsort(low, kind="stable")
    low = low[order]
    high = np.concatenate([part.high for part in parts])[order]
    weight = np.concatenate([part.weight for part in parts])[order]
    key = _ordered_bits(low)
    dropped = max(part.dropped for part in parts)
    first = _first_of_each(key >> np.uint64(dropped))
    while most is not None and first.size > most:
        dropped += 1
        first = _first_of_each(key >> np.uint64(dropped))
    if not first.size:
        return Bins(low, high, weight, dropped)
    highest, total = np.maximum.reduceat(high, first), np.add.reduceat(weight, first)
    return Bins(low[first], highest, total, dropped)


def are_within(x: Floats, bins: Bins) -> Bools:
    """Return which numbers lie within bins."""
    own = np.searchsorted(bins.low, x, side="right") - 1
    found: Bools = (own >= 0) & (x <= bins.high[own])
    return found


def ends_of(value: Floats, weight: Floats) -> Ends:
    """Return the lowest and the highest few values, and the lowest that is not whole.

    Merging those of parts gives those of the whole: the lowest few of all values are among the
    lowest few of each part that has them.
    """
    value, place = np.unique(value, return_inverse=True)
    weight = np.bincount(place, weight, value.size).astype(np.float64)
    stays = np.zeros(value.size, dtype=bool)
    stays[:N_ENDS] = stays[-N_ENDS:] = True
    if value.size:
        stays[np.argmax(value != np.rint(value))] = True
    return Ends(value[stays], weight[stays])


def one_value_each(bins: Bins, ends: Ends) -> tuple[Floats, Floats]:
    """Return one value for each bin, in ascending order, and the weight of each.

    Ends are kept as they are. The rest of a bin is counted at its lowest value or, if that is an
    end, at its highest one; a bin between two ends is counted at the lower of them.
    """
    own = np.searchsorted(bins.low, ends.value, side="right") - 1
    rest = bins.weight - np.bincount(own, ends.weight, bins.low.size)
    is_known = np.bincount(own, minlength=bins.low.size) > 0
    stands = np.where(np.isin(bins.low, ends.value), bins.high, bins.low)
    stands = np.where(np.isin(stands, ends.value), bins.low, stands)
    counted = ~is_known | (rest > 0.0)
    value = np.concatenate([ends.value, stands[counted]])
    found, place = np.unique(value, return_inverse=True)
    weight = np.bincount(place, np.concatenate([ends.weight, rest[counted]]), found.size)
    return found, weight.astype(np.float64)


def _ordered_bits(x: Floats) -> States:
    """Return integers in the order of the numbers, with the same leading bits."""
    bits = np.ascontiguousarray(x).view(np.int64)
    flipped = np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63)))
    return flipped.view(np.uint64)


def _first_of_each(ascending: States) -> Offsets:
    begins = np.ones(ascending.size, dtype=bool)
    begins[1:] = ascending[1:] != ascending[:-1]
    return np.flatnonzero(begins)
