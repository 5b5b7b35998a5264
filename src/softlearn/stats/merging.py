"""Merge the statistics of parts, always in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from softlearn.arrays import AnyArray

T = TypeVar("T")


def merged_in_order(found: Iterable[T], merge: Callable[[T, T], T]) -> T:
    """Return all statistics, merged pairwise as a binary tree.

    So aligned runs of a power of two of them may be merged beforehand, for example on a worker, and
    the result is the same to the bit. Only a few are in memory at a time.
    """
    waiting: list[tuple[int, T]] = []  # (how many levels up, merged)
    for one in found:
        level, own = 0, one
        while waiting and waiting[-1][0] == level:
            own = merge(waiting.pop()[1], own)
            level += 1
        waiting.append((level, own))
    own = waiting.pop()[1]
    while waiting:
        own = merge(waiting.pop()[1], own)
    return own


def added(a: tuple[AnyArray, ...], b: tuple[AnyArray, ...]) -> tuple[AnyArray, ...]:
    """Return the sums of arrays, one by one."""
    return tuple(x + y for x, y in zip(a, b, strict=True))
