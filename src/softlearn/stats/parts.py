"""Statistics of rows in several parts: each part is measured separately, then merged in order.

The rows of a large slice are never joined. Functions of the table and its rows are applied to each
part, and their results are merged; results for single rows, such as their weights in a slice, are
stored with the part. In this module the parts are in the memory of this process and are measured by
threads; `softlearn.scale` applies the same functions on workers.
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
Held: TypeAlias = Any  # a stored value per bucket, which only the ``Parts`` that made it can read


class Share(NamedTuple):
    """The rows of a slice in one bucket, and their weights in the slice."""

    rows: Ids
    weights: Floats


class Parts(Protocol):
    """The rows of a table, in parts of several buckets."""

    def each(self, function: Callable[..., object], *held: Held, given: tuple[Any, ...]) -> Held:
        """Apply ``function(table, *held, *given)`` to each bucket, and store results with it."""

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: Held,
        given: tuple[Any, ...] = (),
    ) -> T:
        """Apply ``function(table, *held, *given)`` to each bucket, and merge results in order."""


@dataclass(frozen=True, eq=False)
class LocalParts:
    """The buckets of a table in memory.

    Attributes
    ----------
    table
        The rows, in the order of their keys.
    n_buckets
        The number of buckets.
    map
        A function like ``map``, such as that of a pool of threads.
    """

    table: GrowTable
    n_buckets: int
    map: Callable[..., Iterable[Any]] = map

    def cut(self, share: Share) -> list[Share]:
        """Divide a slice, whose rows are in the order of their keys, into its shares of buckets."""
        cuts = bucket_cuts(self.table.keys[share.rows], self.n_buckets).tolist()
        return [Share(share.rows[a:b], share.weights[a:b]) for a, b in pairwise(cuts)]

    def each(
        self, function: Callable[..., T], *held: list[Any], given: tuple[Any, ...] = ()
    ) -> list[T]:
        """Apply the function to each bucket and return the results."""
        return list(self.map(lambda *own: function(self.table, *own, *given), *held))

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: list[Any],
        given: tuple[Any, ...] = (),
    ) -> T:
        """Apply the function to each bucket and return the merged result."""
        found: Iterable[T] = self.map(lambda *own: function(self.table, *own, *given), *held)
        return merged_in_order(found, merge)


@contextmanager
def local_parts(table: GrowTable, n_buckets: int, n_jobs: int) -> Iterator[LocalParts]:
    """Yield the buckets of a table, processed by ``n_jobs`` threads or, if 1, by a plain loop."""
    if n_jobs == 1:
        yield LocalParts(table, n_buckets)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield LocalParts(table, n_buckets, pool.map)
