"""Grow a circuit from a work list of slices: independent columns, similar rows, else leaves."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.learn.config import GrowConfig
from softlearn.learn.grow_binary import BinaryGrower
from softlearn.learn.grow_mixed import MixedGrower
from softlearn.learn.pieces import Piece, one_open
from softlearn.learn.slices import Slice, whole_table
from softlearn.learn.training import Training
from softlearn.learn.watch import Engine, Progress

Grower: TypeAlias = BinaryGrower | MixedGrower

# A slice with fewer cells is finished in one go: handing its parts round would take longer.
_SMALL = 100_000


def grow(
    training: Training, config: GrowConfig, seed: np.random.SeedSequence, engine: Engine
) -> Piece:
    """Return the grown tree; the number of jobs does not change it.

    The slice that was opened last is worked on first, which bounds how many are open. When the
    time is up, or the user interrupts and wants to keep what there is, open slices become leaves.
    """
    top = one_open()
    first = whole_table(training, config, seed, top)
    make = BinaryGrower if training.is_binary else MixedGrower
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(engine.n_jobs) as pool:
        ends = np.inf if config.time_budget is None else time.monotonic() + config.time_budget
        _work_off(make(training, config), [first], pool, engine, ends)
    return top.grown[0]


def _work_off(
    grower: Grower,
    open_slices: list[Slice],
    pool: ThreadPoolExecutor,
    engine: Engine,
    ends: float,
) -> None:
    """Split slices until none is open; from the time `ends` on, close them."""
    running: dict[Future[tuple[Piece, list[Slice]]], Slice] = {}
    progress = Progress(sum(task.mass for task in open_slices))
    while open_slices or running:
        # An interrupt may come between any two lines. What it repeats is done twice and stored
        # once more in the same place; nothing is taken off a list before it stands elsewhere.
        try:
            while open_slices and len(running) < engine.n_jobs:
                task = open_slices[-1]
                work = grower.close
                if time.monotonic() < ends:
                    work = grower.finish if task.size < _SMALL else grower.split
                running[pool.submit(work, task)] = task
                open_slices.pop()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running[future]
                piece, more = future.result()
                task.piece.grown[task.place] = piece
                open_slices.extend(more)
                del running[future]
                done = task.mass - sum(child.mass for child in more)
                progress.note(piece.n_nodes, max(0.0, done))
            engine.watch(progress)
        except KeyboardInterrupt:
            if not engine.keep_partial:
                raise
            ends = 0.0
