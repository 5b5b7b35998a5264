"""Run fits on workers before the search needs them.

A fit is a pure function of the rows, the settings and a seed, so it does not matter where it runs.
All decisions are made in the search's own process, in the same order as without workers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block
from softlearn.learn.members import resampled
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.bounds import OutOfTime
from softlearn.learn.search.trial import OUT_OF_TIME, Candidate
from softlearn.learn.watch import Engine, Progress
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood
from softlearn.table.schema import Schema

Sent: TypeAlias = Any  # a handle of data that was sent to the workers


class Running(Protocol):
    """A call that runs on a worker."""

    def result(self, timeout: float) -> Outcome:
        """Return the result; ``TimeoutError`` after so many seconds."""

    def cancel(self) -> None:
        """Cancel the call."""


class Workers(Protocol):
    """Processes that learn for a search, one fit each at a time."""

    @property
    def n_workers(self) -> int:
        """Number of workers."""

    def send(self, value: object) -> Sent:
        """Send something to all of them, once."""

    def submit(self, function: Any, *given: Any) -> Running:  # noqa: ANN401
        """Start a call; handles in its arguments are replaced by the data that was sent."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A fit: a candidate, its rows or a bootstrap sample of them, and a seed."""

    candidate: Candidate
    block: Block
    seed: np.random.SeedSequence
    bootstrap: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """A key that identifies it within a search."""
        return str(self.candidate), id(self.block), self.seed.spawn_key, self.bootstrap


class Outcome(NamedTuple):
    """The result of a fit."""

    circuit: Circuit | None  # None if it was refused or given up
    logs: Floats  # (held-out rows,) log-density
    seconds: float
    outcome: str  # "done", "out of time", or why the learner refused the table


def outcome_of(
    job: Job, schema: Schema, valid: Block, engine: Engine, **settings: object
) -> Outcome:
    """Learn from rows, and score those that judge; `settings` stand above the candidate's."""
    block, nothing = job.block, np.zeros(0)
    if job.bootstrap:
        weights = resampled(block.weights, np.random.default_rng(job.seed))
        block = Block(block.values, weights)
    entry = LEARNERS[job.candidate.learner]
    config = {**job.candidate.settings, **settings}
    started = time.monotonic()
    try:
        circuit = entry.learn([block], schema, entry.config(**config), job.seed, engine)
    except OutOfTime:
        return Outcome(None, nothing, time.monotonic() - started, OUT_OF_TIME)
    except SoftlearnError as refusal:
        return Outcome(None, nothing, time.monotonic() - started, str(refusal))
    seconds = time.monotonic() - started
    logs = log_likelihood(circuit, Evidence(valid.values), n_threads=engine.n_jobs)
    return Outcome(circuit, logs, seconds, "done")


def next_seeds(seed: np.random.SeedSequence, n: int) -> list[np.random.SeedSequence]:
    """Return the seeds that the next calls of ``seed.spawn(1)`` will return."""
    first = seed.n_children_spawned
    return [
        np.random.SeedSequence(
            seed.entropy, spawn_key=(*seed.spawn_key, first + k), pool_size=seed.pool_size
        )
        for k in range(n)
    ]


def jobs_of(
    candidates: Sequence[Candidate], block: Block, seed: np.random.SeedSequence, most: float
) -> list[Job]:
    """Return the next fits of candidates, at most so many, each with a child of the seed."""
    n_jobs = int(min(len(candidates), max(most, 0)))
    seeds = next_seeds(seed, n_jobs)
    return [Job(one, block, own) for one, own in zip(candidates[:n_jobs], seeds, strict=True)]


@dataclass(eq=False)
class Ahead:
    """Fits that workers have started.

    Attributes
    ----------
    workers
        The workers.
    schema, valid
        The schema and the validation rows of all fits.
    """

    workers: Workers
    schema: Schema
    valid: Block
    _shared: Sent = None
    _blocks: dict[int, tuple[Block, Sent]] = field(default_factory=dict)
    _running: dict[tuple[object, ...], Running] = field(default_factory=dict)

    def expect(self, jobs: Sequence[Job], seconds: float) -> None:
        """Start the fits that are expected next, and cancel others; each has so many seconds."""
        wanted = {job.key: job for job in jobs}
        for key in [key for key in self._running if key not in wanted]:
            self._running.pop(key).cancel()
        if wanted and self._shared is None:
            self._shared = self.workers.send((self.schema, self.valid))
        for key, job in wanted.items():
            if key not in self._running:
                apart = (job.candidate, job.seed, job.bootstrap)
                self._running[key] = self.workers.submit(
                    _outcome_there,
                    self._shared,
                    self._sent(job.block),
                    apart,
                    time.time() + seconds,
                )

    def begun(self, job: Job) -> Running | None:
        """Return the running call of a fit, if it was started, and forget it."""
        return self._running.pop(job.key, None)

    def _sent(self, block: Block) -> Sent:
        if id(block) not in self._blocks:  # the block is kept alive, so that its id stays unique
            self._blocks[id(block)] = block, self.workers.send(block)
        return self._blocks[id(block)][1]


def _outcome_there(
    shared: tuple[Schema, Block],
    block: Block,
    apart: tuple[Candidate, np.random.SeedSequence, bool],
    ends: float,
) -> Outcome:
    """Run a fit on a worker; `apart` is the rest of the job, and `ends` a wall-clock time."""
    candidate, seed, bootstrap = apart

    def watch(progress: Progress) -> None:
        if time.time() > ends:
            raise OutOfTime

    return outcome_of(Job(candidate, block, seed, bootstrap), *shared, Engine(watch=watch))
