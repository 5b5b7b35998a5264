"""Grow a circuit from a list of open slices: split columns, cluster rows, or make leaves."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Timer
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Kinds
from softlearn.kernels.grow.work import GrowTable, GrowthOptions
from softlearn.learn.config import GrowConfig
from softlearn.learn.large import LargeGrower, split_large
from softlearn.learn.options import growth_options
from softlearn.learn.pieces import Piece, joined, one_open
from softlearn.learn.receive import recalled, receive
from softlearn.learn.slices import (
    LargeSlice,
    Slice,
    as_piece,
    as_stack,
    in_parts,
    open_slices,
    whole_table,
    with_rows,
)
from softlearn.learn.watch import Engine, Progress
from softlearn.stats.buckets import count_buckets
from softlearn.stats.layout import Layout
from softlearn.stats.parts import LocalParts, Share, local_parts
from softlearn.stats.table import TrainingTable, no_rows_of

# A slice with fewer cells is grown in one task: distributing its parts would take longer.
_SMALL = 100_000
_ALL = np.iinfo(np.int64).max


class Buckets(NamedTuple):
    """How the rows of a large slice are divided into buckets."""

    n_buckets: int
    most_rows: int  # slices of more rows are measured bucket by bucket


def grow(
    table: TrainingTable,
    config: GrowConfig,
    seed: np.random.SeedSequence,
    engine: Engine,
    ends: float = np.inf,
) -> Piece:
    """Return the grown tree, which does not depend on the number of jobs.

    After the time `ends`, or after an interrupt if the user keeps partial results, open slices
    become leaves.
    """
    first = whole_table(table, config, seed, one_open())
    # Trees need the rows of the whole table.
    most_rows = table.n_rows if config.trees else config.bucket_rows
    buckets = Buckets(count_buckets(table.n_rows, most_rows), most_rows)
    options = growth_options(config.for_rows(float(first.weights.sum())), table)
    return grow_slice(
        table.arrays, table, options, first, buckets=buckets, engine=engine, ends=ends
    )


def grow_slice(
    table: GrowTable,
    layout: Layout,
    options: GrowthOptions,
    first: Slice,
    *,
    buckets: Buckets,
    engine: Engine,
    ends: float = np.inf,
) -> Piece:
    """Return the tree grown from a slice of a table.

    The slice that was opened last is processed first, which limits how many are open.
    """
    grower, progress = Grower(table, options), Progress(first.mass)
    with (
        threadpool_limits(1, user_api="blas"),
        raised_at(ends, grower.stop),
        ThreadPoolExecutor(engine.n_jobs) as pool,
    ):
        small = _SmallSliceGrower(grower, pool, buckets.most_rows, first.rows.size)
        if first.rows.size > buckets.most_rows:
            with local_parts(table, buckets.n_buckets, engine.n_jobs) as parts:
                large = LargeGrower(parts, layout, no_rows_of(layout), options, engine.memory)
                whole = _in_parts(first, parts)
                split_large(large, whole, small, progress=progress, engine=engine)
        else:
            small.waiting.append(first)
        small.work_off(progress, engine)
    return joined(first.piece.grown[first.place])


def _in_parts(first: Slice, parts: LocalParts) -> LargeSlice:
    shares = parts.cut(Share(first.rows, first.weights))
    return in_parts(first, shares, first.rows.size, float(first.weights.sum()))


class _SmallSliceGrower:
    """Collects small slices, and grows them once there are many, or no large slice is left.

    Slices share rows: in a deep tree, all small slices together would have many times the rows of
    the table.
    """

    def __init__(
        self, grower: Grower, pool: ThreadPoolExecutor, most_rows: int, most_waiting: int
    ) -> None:
        self.grower = grower
        self.pool = pool
        self.most_rows = most_rows  # of a slice
        self.most_waiting = most_waiting  # rows, of all slices
        self.waiting: list[Slice] = []

    def takes(self, task: LargeSlice) -> bool:
        return task.n_rows <= self.most_rows

    def hand_over(self, task: LargeSlice) -> None:
        rows, weights = zip(*task.shares, strict=True)
        whole = Share(np.concatenate(rows), np.concatenate(weights))
        self.waiting.append(with_rows(task, whole))

    def collect(self, progress: Progress, engine: Engine) -> None:
        if sum(task.rows.size for task in self.waiting) > self.most_waiting:
            self.work_off(progress, engine)

    def work_off(self, progress: Progress, engine: Engine) -> None:
        """Grow all waiting slices."""
        _work_off(self.grower, self.waiting, progress, self.pool, engine)


class Grower:
    """Grows pieces of the tree from slices; has the table and the options, but no other state."""

    def __init__(self, table: GrowTable, options: GrowthOptions) -> None:
        self.table = table
        self.options = options

    @property
    def stop(self) -> Kinds:
        """(1,) a flag that any thread can set to 1 to turn open slices into leaves."""
        return self.options.stop

    def split(self, task: Slice) -> tuple[Piece, list[Slice]]:
        """Return the nodes of a slice, and the slices of its children that are still open.

        A small slice is grown completely, so that none are.
        """
        # Loads Numba.
        from softlearn.kernels.cluster.by_address import CLUSTERING  # noqa: PLC0415
        from softlearn.kernels.grow.by_address import BY_RANKS, BY_TABLES  # noqa: PLC0415
        from softlearn.kernels.grow.growth import grow_slices  # noqa: PLC0415

        nodes, work = as_stack(task)
        most = _ALL if task.size < _SMALL else 1
        labelling = BY_RANKS if self.options.ranks else BY_TABLES
        addresses = (CLUSTERING.address, labelling.address)
        nodes, work = grow_slices(*addresses, self.table, self.options, work, nodes, most)
        piece = as_piece(nodes, work)
        return piece, open_slices(work, piece, self.table.n_statistics)


@contextmanager
def raised_at(ends: float, flag: Kinds) -> Iterator[None]:
    """Set a flag at a time of the monotonic clock, or at the end of the ``with`` block."""
    timer, seconds = None, ends - time.monotonic()
    if seconds <= 0.0:
        flag.fill(1)
    elif np.isfinite(seconds):
        timer = Timer(seconds, lambda: flag.fill(1))
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        flag.fill(1)  # after an error, running tasks end soon
        if timer is not None:
            timer.cancel()


def _work_off(
    grower: Grower,
    open_work: list[Slice],
    progress: Progress,
    pool: ThreadPoolExecutor,
    engine: Engine,
) -> None:
    """Split slices until none is open."""
    running: dict[Future[tuple[Piece, list[Slice]]], Slice] = {}
    while open_work or running:
        # An interrupt may occur between any two lines. A repeated step stores its result in the
        # same place again; nothing is removed from a list before it is stored elsewhere.
        try:
            open_work[:] = [task for task in open_work if not recalled(task, progress, engine)]
            while open_work and len(running) < engine.n_jobs:
                task = open_work[-1]
                running[pool.submit(grower.split, task)] = task
                open_work.pop()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running[future]
                piece, more = future.result()
                receive(task, piece, more, progress, engine, cut_short=bool(grower.stop[0]))
                open_work.extend(more)
                del running[future]
            engine.watch(progress)
        except KeyboardInterrupt:
            grower.stop.fill(1)
            if not engine.keep_partial:
                raise
