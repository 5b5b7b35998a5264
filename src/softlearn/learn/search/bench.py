"""The state that all fits of a search share: training rows, validation rows and the log."""

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
_PATIENCE = 0.2  # seconds between two checks of the clock while workers are busy


@dataclass(eq=False)
class Bench:
    """The rows, the clock and the log of a search.

    Attributes
    ----------
    train, valid
        Training and validation rows, distinct and weighted.
    ahead
        Fits that workers have started; None if all run in this process.
    trials
        All fits, in order.
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
        """The weight of the training rows."""
        return round(float(self.train.weights.sum()))

    def try_out(
        self, candidate: Candidate, block: Block, seed: np.random.SeedSequence, ends: float
    ) -> Fitted | None:
        """Fit a candidate and score the validation rows; None if it ran out of time."""
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
        """Return the circuit of a candidate; None if it was refused or ran out of time.

        The caller logs the trial; a failed fit is logged here.
        """
        trial = Trial(
            stage=stage,
            candidate=candidate,
            n_rows=round(float(block.weights.sum())),
            bootstrap=bootstrap,
        )
        self.clock.tell(stage, self.reached.mean)
        found = self._outcome(stage, Job(candidate, block, seed, bootstrap), ends)
        trial.outcome, trial.seconds = found.outcome, found.seconds
        if found.circuit is None:
            self.note(trial, self.reached)
            return None
        trial.n_nodes = found.circuit.n_nodes
        trial.score = score_of_logs(found.logs, self.valid.weights).mean
        return Fitted(trial, found.circuit, found.logs, seed)

    def expect(self, jobs: Sequence[Job], ends: float) -> None:
        """Announce the fits that are most likely needed next, and when the last must be ready.

        That does not change the result, unless time is limited.
        """
        if self.ahead is None:
            return
        if not self.trials and np.isfinite(self.clock.total):
            jobs = jobs[
                1:
            ]  # the first fit has no time limit, because the search must return a model
        self.ahead.expect(jobs, ends - self.clock.seconds)

    def score(self, fitted: Fitted) -> Score:
        """Return the score of a circuit on the validation rows."""
        return score_of_logs(fitted.logs, self.valid.weights)

    def note(self, trial: Trial, reached: Score) -> None:
        """Log a trial, with the score of the best model after it."""
        self.reached = reached
        trial.best, trial.at = reached.mean, self.clock.seconds
        self.trials.append(trial)
        self.clock.tell(trial.stage, reached.mean)

    def _outcome(self, stage: str, job: Job, ends: float) -> Outcome:
        running = None if self.ahead is None else self.ahead.begun(job)
        if running is not None:
            with suppress(Exception):  # whatever went wrong is repeated, and raised, here
                return self._waited_for(running, stage, ends)
        is_first = not self.trials
        settings: dict[str, object] = {}
        takes_time = "time_budget" in LEARNERS[job.candidate.learner].parameters
        if is_first and np.isfinite(self.clock.total) and takes_time:
            settings["time_budget"] = max(self.clock.left(), 1.0)  # the search must return a model

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
