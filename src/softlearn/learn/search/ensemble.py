"""Members of a mixture, added as long as they pay on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.blocks import Block
from softlearn.learn.em import Score, score_of_logs
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.bench import WORST, Bench
from softlearn.learn.search.halving import Chosen
from softlearn.learn.search.trial import Candidate, Fitted
from softlearn.learn.search.weights import mixed, mixture_weights

_RECIPES = 4  # candidates that members are learnt with, of different kinds first
_WORTH = 0.0005  # nats that the last members must gain together, or no more are learnt
_PATIENCE = 8  # members
_NEGLIGIBLE = 0.002  # weight of a member that the final mixture does without
_REFIT_ROOM = 1.2  # times as long as before that a member may take with all rows


class Recipe(NamedTuple):
    """How a member is learnt."""

    candidate: Candidate
    bootstrap: bool


@dataclass(eq=False)
class Ensemble:
    """Members, their weights, and how well they explain the held-out rows together."""

    bench: Bench
    members: list[Fitted] = field(default_factory=list)
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    score: Score = WORST
    gains: list[float] = field(default_factory=list)

    def add(self, fitted: Fitted) -> None:
        """Add a member, and find all weights anew."""
        self.members.append(fitted)
        logs = np.array([member.logs for member in self.members])
        rows = self.bench.valid.weights
        self.weights = mixture_weights(logs, rows)
        score = score_of_logs(mixed(logs, self.weights), rows)
        gained = score.mean - self.score.mean if score.impossible == self.score.impossible else 1.0
        self.gains.append(gained)
        self.score = score
        self.bench.reached = max(self.bench.reached, score)

    @property
    def pays(self) -> bool:
        """Whether the last members were worth their time."""
        return len(self.gains) < _PATIENCE or sum(self.gains[-_PATIENCE:]) > _WORTH

    def next_recipe(self, recipes: list[Recipe]) -> Recipe:
        """Return what no member was learnt with yet, else what has the most weight per member."""
        totals, counts = np.zeros(len(recipes)), np.zeros(len(recipes))
        for member, weight in zip(self.members, self.weights, strict=True):
            recipe = Recipe(member.candidate, member.trial.bootstrap)
            if recipe in recipes:
                place = recipes.index(recipe)
                totals[place] += weight
                counts[place] += 1.0
        unused = np.flatnonzero(counts == 0.0)
        best = unused[0] if unused.size else np.argmax(totals / counts)
        return recipes[int(best)]

    def needed(self) -> list[tuple[Fitted, float]]:
        """Return the members that count and their weights, the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        kept = [place for place in order.tolist() if self.weights[place] >= _NEGLIGIBLE]
        total = float(self.weights[kept].sum())
        return [(self.members[place], float(self.weights[place]) / total) for place in kept]


def recipes_of(chosen: Chosen) -> list[Recipe]:
    """Return how members are learnt: the best of each kind, then the next best; plain and drawn."""
    first: dict[str, Candidate] = {}
    for fit in chosen.fits:
        first.setdefault(fit.candidate.kind, fit.candidate)
    others = [fit.candidate for fit in chosen.fits if fit.candidate not in first.values()]
    taken = [*first.values()][: _RECIPES - 1] + others
    taken = taken[:_RECIPES]
    return [
        Recipe(candidate, bootstrap)
        for bootstrap in (True, False)
        for candidate in taken
        if not bootstrap or LEARNERS[candidate.learner].takes.weights
    ]


def add_members(
    ensemble: Ensemble, chosen: Chosen, seed: np.random.SeedSequence, share: float
) -> None:
    """Learn members until they do not pay, or time or work are spent."""
    bench, clock = ensemble.bench, ensemble.bench.clock
    most = clock.bounds.max_members
    for member in chosen.fits[:most]:  # what halving learnt last costs nothing
        ensemble.add(member)
    ensemble.gains.clear()
    recipes = recipes_of(chosen)
    while len(ensemble.members) < most and clock.has_fits and ensemble.pays:
        if clock.left(share) <= 0.0:
            return
        recipe = ensemble.next_recipe(recipes)
        clock.n_fits += 1
        own = seed.spawn(1)[0]
        fit = bench.fit(
            "member",
            recipe.candidate,
            chosen.block,
            own,
            share * clock.total,
            bootstrap=recipe.bootstrap,
        )
        if fit is None:
            return
        ensemble.add(fit)
        bench.note(fit.trial, bench.reached)


def learn_again(bench: Bench, members: list[Fitted], everything: Block) -> None:
    """Replace the circuits of members by such that all rows were learnt from, if time allows."""
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
