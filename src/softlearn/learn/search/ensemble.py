"""A mixture whose members are added while the validation score improves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.blocks import Block
from softlearn.learn.em import Score, score_of_logs
from softlearn.learn.search.ahead import Job
from softlearn.learn.search.bench import WORST, Bench
from softlearn.learn.search.trial import Fitted
from softlearn.learn.search.weights import mixed, mixture_weights

_WORTH = 0.0003  # gain in nats that the last members must have together, or no more are learnt
_PATIENCE = 10  # members
_NEGLIGIBLE = 0.002  # weight below which a member is dropped from the final mixture
_REFIT_ROOM = 1.2  # a final fit with all rows may take so many times as long as before


@dataclass(eq=False)
class Ensemble:
    """Members, their weights, and the validation score of their mixture."""

    bench: Bench
    equal: bool = False  # whether all members weigh the same, instead of by validation rows
    members: list[Fitted] = field(default_factory=list)
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    score: Score = WORST
    gains: list[float] = field(default_factory=list)

    def add(self, *fits: Fitted) -> None:
        """Add members and refit all weights; the lightest are dropped if there are too many."""
        if not fits:
            return
        rows, most = self.bench.valid.weights, self.bench.clock.bounds.max_members
        first = np.concatenate([self.weights, np.full(len(fits), 1.0 / (len(self.members) + 1))])
        self.members.extend(fits)
        logs = np.array([member.logs for member in self.members])
        self.weights = self._weights(logs, first)
        if len(self.members) > most:
            kept = np.sort(np.argsort(-self.weights, kind="stable")[:most])
            self.members = [self.members[place] for place in kept.tolist()]
            logs = logs[kept]
            self.weights = self._weights(logs, self.weights[kept])
        score = score_of_logs(mixed(logs, self.weights), rows)
        gained = score.mean - self.score.mean if score.impossible == self.score.impossible else 1.0
        self.gains.append(gained)
        self.score = score
        self.bench.reached = max(self.bench.reached, score)

    def _weights(self, logs: Floats, first: Floats) -> Floats:
        if self.equal:
            return np.full(len(logs), 1.0 / len(logs))
        return mixture_weights(logs, self.bench.valid.weights, first)

    @property
    def pays(self) -> bool:
        """Whether the last members improved the score enough."""
        return len(self.gains) < _PATIENCE or sum(self.gains[-_PATIENCE:]) > _WORTH

    def needed(self) -> list[tuple[Fitted, float]]:
        """Return the members with enough weight and their weights, the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        kept = [
            place for place in order.tolist() if self.equal or self.weights[place] >= _NEGLIGIBLE
        ]
        total = float(self.weights[kept].sum())
        return [(self.members[place], float(self.weights[place]) / total) for place in kept]


def learn_again(bench: Bench, members: list[Fitted], everything: Block) -> None:
    """Fit the members again to all rows, as far as time allows."""
    bench.expect(
        [Job(own.candidate, everything, own.seed, own.trial.bootstrap) for own in members],
        bench.clock.total,
    )
    for member in members:
        fit = None
        if member.trial.seconds * _REFIT_ROOM < bench.clock.left():
            fit = bench.fit(
                "refit",
                member.candidate,
                everything,
                member.seed,
                bench.clock.total,
                bootstrap=member.trial.bootstrap,
            )
        if fit is not None:
            fit.trial.score = np.nan  # it was fitted to the validation rows too
            bench.note(fit.trial, bench.reached)
            member.circuit = fit.circuit
