"""Rows that workers keep: a runner for large slices."""

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
    """Return how much memory a table takes; Dask would guess it from some of the arrays."""
    return int(sum(own.nbytes for own in table))


@dataclass(frozen=True, eq=False)
class WorkerParts:
    """The buckets of a table on workers, several of them in a part.

    Attributes
    ----------
    storage
        Who keeps them.
    tables
        The table of each part. There are a power of two, in the order of their buckets, all with as
        many of them.
    """

    storage: Storage
    tables: tuple[Stored, ...]

    def each(
        self, function: Callable[..., object], *held: list[Stored], given: tuple[Any, ...] = ()
    ) -> list[Stored]:
        """Return the function of each bucket, a list for each part."""
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
        """Return the function of all buckets; a worker merges those of some parts."""
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
    """Return the function of all buckets of some parts, of which one is open at a time."""

    def of_each() -> Iterator[T]:
        for stored, held in group:
            table = opened(stored)
            for own in zip(*map(opened, held), strict=True):
                yield function(table, *own, *given)

    return merged_in_order(of_each(), merge)
