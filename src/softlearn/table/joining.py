"""A column's many values as fewer: heavy ones stay, light neighbours join in one of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.arrays import Floats

# What a summary of a column keeps of it. Neighbours join only within 1 / 16,384 of the weight, each
# time that parts are merged: quantiles of 4,096 parts, merged eight at a time, are off by less than
# 0.0004 of the rows.
MOST_VALUES: Final = 2**16
_KEPT_AT_ENDS = 6  # values on each side: what tells whether a column ends at a limit
_SHARES = 4.0  # over the most values: the weight of a heavy value, and of neighbours that join


def joined_neighbours(value: Floats, weight: Floats, most: int) -> tuple[Floats, Floats]:
    """Return at most so many of the values, with the weight of the others added to them.

    Each value that stays is one of the given ones. Those stay that hold more than 4 / ``most`` of
    the weight, the lowest and the highest ones, and the lowest that is not whole. Of the others,
    neighbours that together hold no more than that are joined in the one amid their weight.

    Parameters
    ----------
    value, weight
        (values,) in ascending order, and how much each counts.
    most
        How many may stay, at least 128.
    """
    share = _SHARES / most
    stays = weight > share * weight.sum()
    stays[:_KEPT_AT_ENDS] = stays[-_KEPT_AT_ENDS:] = True
    stays[np.argmax(value != np.rint(value))] = True
    light = np.where(stays, 0.0, weight)
    up_to = np.cumsum(light)
    room = share * max(float(up_to[-1]), np.finfo(np.float64).tiny)
    quantile = np.floor((up_to - light) / room)
    # A group ends where the next one's share begins, and at each value that stays.
    begins = np.ones(value.size, dtype=bool)
    begins[1:] = stays[1:] | stays[:-1] | (quantile[1:] != quantile[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], value.size) - 1
    group = np.add.reduceat(weight, first)
    half = up_to[first] - light[first] + 0.5 * np.add.reduceat(light, first)
    middle = np.clip(np.searchsorted(up_to, half), first, last)
    return value[middle], group
