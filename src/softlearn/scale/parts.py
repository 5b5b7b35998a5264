"""Rows that live on workers: a runner for large slices, and sub-trees that are grown there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from softlearn.kernels.grow.work import GrowTable
from softlearn.stats.merging import merged_in_order

T = TypeVar("T")
Future: TypeAlias = Any  # dask has no types


@dataclass(frozen=True, eq=False)
class WorkerParts:
    """The buckets of a table on workers, several of them in a part.

    What is held of a part is a future: where it is lost with its worker, Dask makes it anew from
    what it was made of, in the end from the rows of the source.

    Attributes
    ----------
    client
        Dask's client.
    tables
        A future of the table of each part. There are a power of two, in the order of their
        buckets, all with as many of them.
    """

    client: Any
    tables: tuple[Future, ...]

    def each(
        self, function: Callable[..., object], *held: list[Future], given: tuple[Any, ...] = ()
    ) -> list[Future]:
        """Return futures of the function of each bucket, a list per part."""
        return finished(
            self.client.submit(_each, function, table, own, given, pure=False)
            for table, own in zip(self.tables, zip(*held, strict=True), strict=True)
        )

    def total(
        self,
        function: Callable[..., T],
        merge: Callable[[T, T], T],
        *held: list[Future],
        given: tuple[Any, ...] = (),
    ) -> T:
        """Return the function of all buckets; a worker merges those that it has."""
        found = [
            self.client.submit(_total, function, merge, table, own, given, pure=False)
            for table, own in zip(self.tables, zip(*held, strict=True), strict=True)
        ]
        measured: list[T] = self.client.gather(found)
        return merged_in_order(measured, merge)


def finished(futures: Iterable[Future]) -> list[Future]:
    """Return futures once they are computed, or raise what went wrong.

    Until then whatever they are made of must not be let go: the scheduler may not know yet that
    they need it. From then on it remembers how to make them anew.
    """
    from distributed import wait  # noqa: PLC0415 - slow to load

    found = list(futures)
    wait(found)
    for future in found:
        if future.status != "finished":
            future.result()
    return found


def on_workers(client: Any, value: T) -> Future:  # noqa: ANN401 - dask has no types
    """Return a future of a value that all workers need; hold it as long as anything needs it.

    Unlike what is scattered it is part of the work, so that it outlives any worker.
    """
    return client.submit(_itself, value, pure=False)


def _itself(value: T) -> T:
    return value


def _each(
    function: Callable[..., T],
    table: GrowTable,
    held: tuple[list[Any], ...],
    given: tuple[Any, ...],
) -> list[T]:
    return [function(table, *own, *given) for own in zip(*held, strict=True)]


def _total(
    function: Callable[..., T],
    merge: Callable[[T, T], T],
    table: GrowTable,
    held: tuple[list[Any], ...],
    given: tuple[Any, ...],
) -> T:
    return merged_in_order(
        (function(table, *own, *given) for own in zip(*held, strict=True)), merge
    )
