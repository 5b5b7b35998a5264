"""Members of a mixture, added as long as they pay on held-out rows."""

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

_WORTH = 0.0003  # nats that the last members must gain together, or no more are learnt
_PATIENCE = 10  # members
_NEGLIGIBLE = 0.002  # weight of a member that the final mixture does without
_REFIT_ROOM = 1.2  # times as long as before that a member may take with all rows


@dataclass(eq=False)
class Ensemble:
    """Members, their weights, and how well they explain the held-out rows together."""

    bench: Bench
    members: list[Fitted] = field(default_factory=list)
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    score: Score = WORST
    gains: list[float] = field(default_factory=list)

    def add(self, *fits: Fitted) -> None:
        """Add members, and find all weights anew; the lightest go if there are too many."""
        if not fits:
            return
        rows, most = self.bench.valid.weights, self.bench.clock.bounds.max_members
        first = np.concatenate([self.weights, np.full(len(fits), 1.0 / (len(self.members) + 1))])
        self.members.extend(fits)
        logs = np.array([member.logs for member in self.members])
        self.weights = mixture_weights(logs, rows, first)
        if len(self.members) > most:
            kept = np.sort(np.argsort(-self.weights, kind="stable")[:most])
            self.members = [self.members[place] for place in kept.tolist()]
            logs = logs[kept]
            self.weights = mixture_weights(logs, rows, self.weights[kept])
        score = score_of_logs(mixed(logs, self.weights), rows)
        gained = score.mean - self.score.mean if score.impossible == self.score.impossible else 1.0
        self.gains.append(gained)
        self.score = score
        self.bench.reached = max(self.bench.reached, score)

    @property
    def pays(self) -> bool:
        """Whether the last members were worth their time."""
        return len(self.gains) < _PATIENCE or sum(self.gains[-_PATIENCE:]) > _WORTH

    def needed(self) -> list[tuple[Fitted, float]]:
        """Return the members that count and their weights, the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        kept = [place for place in order.tolist() if self.weights[place] >= _NEGLIGIBLE]
        total = float(self.weights[kept].sum())
        return [(self.members[place], float(self.weights[place]) / total) for place in kept]


def learn_again(bench: Bench, members: list[Fitted], everything: Block) -> None:
    """Replace the circuits of members by such that all rows were learnt from, if time allows."""
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
            fit.trial.score = np.nan  # it has seen the rows that judge
            bench.note(fit.trial, bench.reached)
            member.circuit = fit.circuit
