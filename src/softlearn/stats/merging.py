"""Merge what was measured part by part, always in the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from softlearn.arrays import AnyArray

T = TypeVar("T")


def merged_in_order(found: Iterable[T], merge: Callable[[T, T], T]) -> T:
    """Return all of them merged as a tree: neighbours first, then neighbours of these.

    So somebody who has a part of them, of which there are a power of two and which begins at a
    multiple of it, may merge these beforehand, and the result is the same to the bit. Few are held
    at a time.
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
