"""Rows in several parts: each part is measured where it is, and the results are merged in order.

A large slice never stands in one place. What is to be known of its rows is measured where they are,
by a function of the table and the rows there, and merged; what stays with the rows, such as their
weights in a slice, is held by whoever has them. Here it is this process, with threads; the same
functions run where `softlearn.scale` puts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from softlearn.arrays import Floats, Ids
from softlearn.kernels.grow.work import GrowTable
from softlearn.stats.buckets import bucket_cuts
from softlearn.stats.merging import merged_in_order

T = TypeVar("T")
Held: TypeAlias = Any  # something per bucket; only the parts that made it can read it


class Share(NamedTuple):
    """Rows of a slice in one bucket, and their weights in the slice."""

    rows: Ids
    weights: Floats


class Parts(Protocol):
    """Where the rows of a table are."""

    def each(self, function: Callable[..., object], *held: Held, given: tuple[Any, ...]) -> Held:
        """Return ``function(table, *held, *given)`` of each bucket; it stays with the rows."""

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: Held,
        given: tuple[Any, ...] = (),
    ) -> T:
        """Return ``function(table, *held, *given)`` of all buckets, merged in their order."""


@dataclass(frozen=True, eq=False)
class LocalParts:
    """The buckets of a table in memory.

    Attributes
    ----------
    table
        Rows in the order of their keys.
    n_buckets
        Into how many buckets they go.
    map
        How a function is mapped over buckets: ``map``, or that of a pool of threads.
    """

    table: GrowTable
    n_buckets: int
    map: Callable[..., Iterable[Any]] = map

    def cut(self, share: Share) -> list[Share]:
        """Return what each bucket has of a slice, whose rows are in the order of their keys."""
        cuts = bucket_cuts(self.table.keys[share.rows], self.n_buckets).tolist()
        return [Share(share.rows[a:b], share.weights[a:b]) for a, b in pairwise(cuts)]

    def each(
        self, function: Callable[..., T], *held: list[Any], given: tuple[Any, ...] = ()
    ) -> list[T]:
        """Return the function of each bucket."""
        return list(self.map(lambda *own: function(self.table, *own, *given), *held))

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: list[Any],
        given: tuple[Any, ...] = (),
    ) -> T:
        """Return the function of all buckets, merged."""
        found: Iterable[T] = self.map(lambda *own: function(self.table, *own, *given), *held)
        return merged_in_order(found, merge)


@contextmanager
def local_parts(table: GrowTable, n_buckets: int, n_jobs: int) -> Iterator[LocalParts]:
    """Open the buckets of a table; a plain loop works on them, or so many threads."""
    if n_jobs == 1:
        yield LocalParts(table, n_buckets)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield LocalParts(table, n_buckets, pool.map)
