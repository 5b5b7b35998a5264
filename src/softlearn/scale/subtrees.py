"""Small slices, each brought to one worker that grows its whole sub-tree."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from uuid import uuid4

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds
from softlearn.kernels.grow.work import GrowTable, GrowthOptions
from softlearn.learn import Engine, Progress
from softlearn.learn.grow import Buckets, grow_slice
from softlearn.learn.pieces import Piece, one_open
from softlearn.learn.receive import receive
from softlearn.learn.slices import LargeSlice, OpenPlace, with_rows
from softlearn.scale.partitions import opened
from softlearn.scale.parts import WorkerParts
from softlearn.scale.small_slices import Limits
from softlearn.scale.storage import Future, Stored
from softlearn.scale.waiting import WorkerTimeout
from softlearn.stats.layout import Layout
from softlearn.stats.parts import Share
from softlearn.stats.sub_tables import joined_tables, table_with

_NOW = 0.0  # a time of day that is over
_BETWEEN_LOOKS = 1.0  # seconds between two looks at how far the workers are

# Of the process of a worker: fits that are to end soon, and flags of slices that it is growing.
_ENDING: set[str] = set()
_FLAGS: dict[str, list[Kinds]] = {}


@dataclass(eq=False)
class Subtrees:
    """Slices that workers grow.

    Attributes
    ----------
    parts
        Where the rows are.
    limits
        How large a slice may be.
    shared
        Layout, options and buckets, on workers.
    stop
        (1,) once it is not zero, open slices become leaves, also those that workers have begun.
    ends
        The time of day from which on they do.
    """

    parts: WorkerParts
    limits: Limits
    shared: Future
    stop: Kinds
    ends: float
    running: dict[Future, tuple[LargeSlice, list[Stored]]] = field(default_factory=dict)
    fit: str = field(default_factory=lambda: uuid4().hex)
    is_ending: bool = False

    def takes(self, task: LargeSlice) -> bool:
        """Return whether a slice is small enough for one worker."""
        return self.limits.allow(task)

    def hand_over(self, task: LargeSlice) -> None:
        """Begin to grow a slice."""
        storage = self.parts.storage
        some = [
            storage.defer(_cells_of, table, shares, task.columns)
            for table, shares in zip(self.parts.tables, task.shares, strict=True)
        ]
        given = (_alone(task), self.shared, _NOW if self.stop[0] else self.ends, self.fit)
        future = storage.client.submit(_grown, some, *given, pure=False)
        self.running[future] = (task, some)  # held until it is computed

    def collect(self, progress: Progress, engine: Engine) -> None:
        """Put what has grown meanwhile where it belongs."""
        if self.stop[0] and not self.is_ending:
            self.parts.storage.client.run(_end_soon, self.fit)
            self.is_ending = True
        for future in [one for one in self.running if one.done()]:
            task, _ = self.running[future]
            receive(task, future.result(), (), progress, engine, cut_short=bool(self.stop[0]))
            del self.running[future]

    def collect_all(self, progress: Progress, engine: Engine) -> None:
        """Wait for all slices; an interrupt may come between any two lines."""
        timeout = WorkerTimeout(self.parts.storage.client)
        while self.running:
            try:
                self._wait_for_one(timeout)
                self.collect(progress, engine)
                engine.watch(progress)
            except KeyboardInterrupt:
                self.stop.fill(1)
                if not engine.keep_partial:
                    raise

    def _wait_for_one(self, timeout: WorkerTimeout) -> None:
        from distributed import wait  # noqa: PLC0415 - slow to load

        try:
            wait(list(self.running), timeout=_BETWEEN_LOOKS, return_when="FIRST_COMPLETED")
        except TimeoutError:  # none is ready; meanwhile somebody looks on
            timeout.check()


def until(ends: float) -> float:
    """Return a time of day, which all machines share, by the clock of this process."""
    return time.monotonic() + ends - time.time()


def _alone(task: OpenPlace) -> OpenPlace:
    """Return the place of a slice as if nothing else had been grown."""
    return OpenPlace(
        columns=task.columns,
        seed=task.seed,
        depth=task.depth,
        connected=task.connected,
        n_nodes=task.n_nodes,
        fallback=dict(task.fallback),
        piece=one_open(),
        place=0,
    )


def _cells_of(table: GrowTable, shares: list[Share], columns: Ids) -> tuple[GrowTable, Floats]:
    rows = np.concatenate([share.rows for share in shares])
    return table_with(table, rows, columns), np.concatenate([share.weights for share in shares])


def _grown(
    some: list[Stored],
    place: OpenPlace,
    shared: tuple[Layout, GrowthOptions, Buckets],
    ends: float,
    fit: str,
) -> Piece:
    """Grow a slice on one worker, as every slice is grown."""
    layout, options, buckets = shared
    tables, of_each = zip(*map(opened, some), strict=True)
    table, weights = joined_tables(tables), np.concatenate(of_each)
    del tables, of_each  # all that the slice needs is joined
    rows = np.arange(weights.size, dtype=np.int32)
    flag = np.zeros(1, np.uint8)
    first = with_rows(place, Share(rows, weights))
    flags = _FLAGS.setdefault(fit, [])
    flags.append(flag)
    try:
        return grow_slice(
            table,
            layout,
            options._replace(stop=flag),
            first,
            buckets=buckets,
            engine=Engine(),
            ends=until(_NOW if fit in _ENDING else ends),
        )
    finally:
        flags[:] = [one for one in flags if one is not flag]


def _end_soon(fit: str) -> None:
    """Turn into leaves what this worker has open, or will open, of a fit."""
    _ENDING.add(fit)
    for flag in _FLAGS.get(fit, []):
        flag.fill(1)
