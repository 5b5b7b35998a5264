"""The test bench of a search: training rows, validation rows and the log of fits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.em import Score, score_of_logs
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.ahead import Ahead, Job, Outcome, Running, outcome_of
from softlearn.learn.search.bounds import Clock, OutOfTime
from softlearn.learn.search.trial import OUT_OF_TIME, Candidate, Fitted, Trial
from softlearn.learn.watch import Engine, Progress
from softlearn.table.schema import Schema

WORST = Score(-np.inf, -np.inf)
_PATIENCE = 0.2  # seconds between two looks at the clock while others work


@dataclass(eq=False)
class Bench:
    """What all fits of a search share.

    Attributes
    ----------
    train, valid
        Rows to learn from, and rows that judge: different rows, with weights.
    ahead
        Fits that others have begun; None if all are done here.
    trials
        What was tried, in order.
    best, best_score
        The best single circuit so far.
    reached
        The score of the best model so far, which may be a mixture.
    """

    schema: Schema
    train: Block
    valid: Block
    clock: Clock
    n_jobs: int
    ahead: Ahead | None = None
    trials: list[Trial] = field(default_factory=list)
    best: Fitted | None = None
    best_score: Score = WORST
    reached: Score = WORST

    @property
    def n_rows(self) -> int:
        """How many rows there are to learn from, by weight."""
        return round(float(self.train.weights.sum()))

    def try_out(
        self, candidate: Candidate, block: Block, seed: np.random.SeedSequence, ends: float
    ) -> Fitted | None:
        """Learn from rows and score the held-out ones; None if it had to be given up."""
        self.clock.n_fits += 1
        fitted = self.fit("search", candidate, block, seed, ends)
        if fitted is None:
            return None
        score = self.score(fitted)
        if score > self.best_score:
            self.best, self.best_score = fitted, score
        self.note(fitted.trial, max(self.reached, score))
        return fitted

    def fit(
        self,
        stage: str,
        candidate: Candidate,
        block: Block,
        seed: np.random.SeedSequence,
        ends: float,
        *,
        bootstrap: bool = False,
    ) -> Fitted | None:
        """Return the circuit of a candidate; None if it was refused or not ready at a time.

        The caller notes the trial; a fit that was given up is noted here.
        """
        trial = Trial(
            stage=stage,
            candidate=candidate,
            n_rows=round(float(block.weights.sum())),
            bootstrap=bootstrap,
        )
        self.clock.tell(stage, self.reached.mean)
        found = self._outcome(stage, Job(candidate, block, seed, bootstrap), ends)
        trial.outcome, trial.seconds = found.told, found.seconds
        if found.circuit is None:
            self.note(trial, self.reached)
            return None
        trial.n_nodes = found.circuit.n_nodes
        trial.score = score_of_logs(found.logs, self.valid.weights).mean
        return Fitted(trial, found.circuit, found.logs, seed)

    def expect(self, jobs: Sequence[Job], ends: float) -> None:
        """Tell which fits will most likely be asked for next, and when the last has to be ready.

        That changes no result, unless time is bounded.
        """
        if self.ahead is None:
            return
        if not self.trials and np.isfinite(self.clock.total):
            jobs = jobs[1:]  # there is to be a model, and so the very first ends in time by itself
        self.ahead.expect(jobs, ends - self.clock.seconds)

    def score(self, fitted: Fitted) -> Score:
        """Return how well a circuit explains the held-out rows."""
        return score_of_logs(fitted.logs, self.valid.weights)

    def note(self, trial: Trial, reached: Score) -> None:
        """Write a trial down, with the score of the best model after it."""
        self.reached = reached
        trial.best, trial.at = reached.mean, self.clock.seconds
        self.trials.append(trial)
        self.clock.tell(trial.stage, reached.mean)

    def _outcome(self, stage: str, job: Job, ends: float) -> Outcome:
        running = None if self.ahead is None else self.ahead.begun(job)
        if running is not None:
            with suppress(Exception):  # whatever it was, it will be seen again here
                return self._waited_for(running, stage, ends)
        is_first = not self.trials
        settings: dict[str, object] = {}
        takes_time = "time_budget" in LEARNERS[job.candidate.learner].parameters
        if is_first and np.isfinite(self.clock.total) and takes_time:
            settings["time_budget"] = max(self.clock.left(), 1.0)  # so that there is a model

        def watch(progress: Progress) -> None:
            self.clock.tell(stage, self.reached.mean)
            if not is_first and self.clock.seconds > ends:
                raise OutOfTime

        engine = Engine(n_jobs=self.n_jobs, watch=watch)
        return outcome_of(job, self.schema, self.valid, engine, **settings)

    def _waited_for(self, running: Running, stage: str, ends: float) -> Outcome:
        started = self.clock.seconds
        while self.clock.seconds <= ends:
            with suppress(TimeoutError):
                return running.result(timeout=_PATIENCE)
            self.clock.tell(stage, self.reached.mean)
        running.cancel()
        return Outcome(None, np.zeros(0), self.clock.seconds - started, OUT_OF_TIME)
