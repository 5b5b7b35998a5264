"""Statistics of large slices, measured by the workers that have the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from dask.sizeof import sizeof

from softlearn.kernels.grow.work import GrowTable
from softlearn.scale.partitions import opened
from softlearn.scale.storage import Storage, Stored
from softlearn.stats.merging import merged_in_order

T = TypeVar("T")


@sizeof.register(GrowTable)  # type: ignore[untyped-decorator]
def bytes_of(table: GrowTable) -> int:
    """Return the memory of a table in bytes; Dask would estimate it from some of the arrays."""
    return int(sum(own.nbytes for own in table))


@dataclass(frozen=True, eq=False)
class WorkerParts:
    """The buckets of a table on workers, several of them in a part.

    Attributes
    ----------
    storage
        Where workers store their results.
    tables
        The table of each part, in the order of their buckets. The number of parts is a power of
        two, and all have the same number of buckets.
    """

    storage: Storage
    tables: tuple[Stored, ...]

    def each(
        self, function: Callable[..., object], *held: list[Stored], given: tuple[Any, ...] = ()
    ) -> list[Stored]:
        """Apply the function to each bucket and return a stored list of results per part."""
        own = zip(self.tables, zip(*held, strict=True), strict=True)
        return self.storage.store(
            _each,
            ((table, some, function, given) for table, some in own),
            at_once=self.storage.group_size(len(self.tables)),
        )

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: list[Stored],
        given: tuple[Any, ...] = (),
    ) -> T:
        """Apply the function to each bucket and return the merged result.

        A worker merges the results of a group of parts.
        """
        own = list(zip(self.tables, zip(*held, strict=True), strict=True))
        size = self.storage.group_size(len(own))
        groups = [own[i : i + size] for i in range(0, len(own), size)]
        measured: list[T] = self.storage.fetch(
            _total, ((group, function, merge, given) for group in groups)
        )
        return merged_in_order(measured, merge)


def _each(
    table: GrowTable,
    held: tuple[Stored, ...],
    function: Callable[..., T],
    given: tuple[Any, ...],
) -> list[T]:
    return [function(table, *own, *given) for own in zip(*map(opened, held), strict=True)]


def _total(
    group: list[tuple[Stored, tuple[Stored, ...]]],
    function: Callable[..., T],
    merge: Callable[[T, T], T],
    given: tuple[Any, ...],
) -> T:
    """Apply the function to the buckets of a group of parts, opening one at a time, and merge."""

    def of_each() -> Iterator[T]:
        for stored, held in group:
            table = opened(stored)
            for own in zip(*map(opened, held), strict=True):
                yield function(table, *own, *given)

    return merged_in_order(of_each(), merge)
