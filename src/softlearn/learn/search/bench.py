"""Where candidates are tried: the rows to learn from, the rows that judge, the notes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block
from softlearn.learn.em import Score, score_of_logs
from softlearn.learn.members import resampled
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.bounds import Clock, OutOfTime
from softlearn.learn.search.trial import OUT_OF_TIME, Candidate, Fitted, Trial
from softlearn.learn.watch import Engine, Progress
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood
from softlearn.table.schema import Schema

WORST = Score(-np.inf, -np.inf)


@dataclass(eq=False)
class Bench:
    """What all fits of a search share.

    Attributes
    ----------
    train, valid
        Rows to learn from, and rows that judge: different rows, with weights.
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
        if bootstrap:
            weights = resampled(block.weights, np.random.default_rng(seed))
            block = Block(block.values, weights)
        started = time.monotonic()
        self.clock.tell(stage, self.reached.mean)
        try:
            circuit = self._learn(trial, block, seed, ends)
        except OutOfTime:
            trial.outcome = OUT_OF_TIME
        except SoftlearnError as refusal:
            trial.outcome = str(refusal)
        trial.seconds = time.monotonic() - started
        if trial.outcome != "done":
            self.note(trial, self.reached)
            return None
        evidence = Evidence(self.valid.values)
        logs = log_likelihood(circuit, evidence, n_threads=self.n_jobs)
        trial.n_nodes = circuit.n_nodes
        trial.score = score_of_logs(logs, self.valid.weights).mean
        return Fitted(trial, circuit, logs, seed)

    def score(self, fitted: Fitted) -> Score:
        """Return how well a circuit explains the held-out rows."""
        return score_of_logs(fitted.logs, self.valid.weights)

    def note(self, trial: Trial, reached: Score) -> None:
        """Write a trial down, with the score of the best model after it."""
        self.reached = reached
        trial.best, trial.at = reached.mean, self.clock.seconds
        self.trials.append(trial)
        self.clock.tell(trial.stage, reached.mean)

    def _learn(
        self, trial: Trial, block: Block, seed: np.random.SeedSequence, ends: float
    ) -> Circuit:
        entry = LEARNERS[trial.candidate.learner]
        is_first = not self.trials
        settings = dict(trial.candidate.settings)
        if is_first and np.isfinite(self.clock.total) and "time_budget" in entry.parameters:
            settings["time_budget"] = max(self.clock.left(), 1.0)  # so that there is a model

        def watch(progress: Progress) -> None:
            self.clock.tell(trial.stage, self.reached.mean)
            if not is_first and self.clock.seconds > ends:
                raise OutOfTime

        engine = Engine(n_jobs=self.n_jobs, watch=watch)
        return entry.learn([block], self.schema, entry.config(**settings), seed, engine)
