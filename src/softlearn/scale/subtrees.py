"""Grow small slices on workers, each of them completely on one worker."""

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

_NOW = 0.0  # an end time in the past, so that growing stops at once
_BETWEEN_LOOKS = 1.0  # seconds between two updates of the progress

# State of a worker process: fits that must stop, and the stop flags of slices that it is growing.
_ENDING: set[str] = set()
_FLAGS: dict[str, list[Kinds]] = {}


@dataclass(eq=False)
class Subtrees:
    """Slices that are grown by workers.

    Attributes
    ----------
    parts
        The rows on the workers.
    limits
        The maximum size of a slice.
    shared
        A future of the layout, options and buckets.
    stop
        (1,) once it is not zero, open slices become leaves, also those that workers have started.
    ends
        The time of day after which open slices become leaves.
    running
        The slice of each future, and its cells, which are held until it is computed.
    fit
        An identifier of the fit.
    is_ending
        Whether workers have been told to stop.
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
        """Return whether a slice is small enough for a single worker."""
        return self.limits.allow(task)

    def hand_over(self, task: LargeSlice) -> None:
        """Start growing a slice on a worker."""
        storage = self.parts.storage
        some = [
            storage.defer(_cells_of, table, shares, task.columns)
            for table, shares in zip(self.parts.tables, task.shares, strict=True)
        ]
        given = (_alone(task), self.shared, _NOW if self.stop[0] else self.ends, self.fit)
        future = storage.client.submit(_grown, some, *given, pure=False)
        self.running[future] = (task, some)  # held until it is computed

    def collect(self, progress: Progress, engine: Engine) -> None:
        """Add the sub-trees that are finished to the tree."""
        if self.stop[0] and not self.is_ending:
            self.parts.storage.client.run(_end_soon, self.fit)
            self.is_ending = True
        for future in [one for one in self.running if one.done()]:
            task, _ = self.running[future]
            receive(task, future.result(), (), progress, engine, cut_short=bool(self.stop[0]))
            del self.running[future]

    def collect_all(self, progress: Progress, engine: Engine) -> None:
        """Wait for all slices; interrupts may occur between any two lines."""
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
        except TimeoutError:  # none is finished; the caller updates the progress
            timeout.check()


def until(ends: float) -> float:
    """Convert a time of day, which all machines share, to this process's monotonic clock."""
    return time.monotonic() + ends - time.time()


def _alone(task: OpenPlace) -> OpenPlace:
    """Return the place of a slice in an empty tree, so that little is sent to the worker."""
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
    """Grow a slice on a worker, in the same way as in memory."""
    layout, options, buckets = shared
    tables, of_each = zip(*map(opened, some), strict=True)
    table, weights = joined_tables(tables), np.concatenate(of_each)
    del tables, of_each  # only the joined table is needed from here on
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
    """Make this worker turn the open slices of a fit, and later ones, into leaves."""
    _ENDING.add(fit)
    for flag in _FLAGS.get(fit, []):
        flag.fill(1)
