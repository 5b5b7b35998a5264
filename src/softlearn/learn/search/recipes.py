"""Which member to learn next: what the mixture has most of, for the time that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.ensemble import Ensemble
from softlearn.learn.search.trial import Candidate, Fitted

_SETTINGS = 2  # of each kind
_LONGER = 4.0  # times as long as expected that a member may take
_SHARE = 0.25  # of the time left that a member may take in any case
_FEWEST_SECONDS = 0.05  # shorter fits count as this long


@dataclass(slots=True, eq=False)
class Recipe:
    """How members are learnt, and how long that takes as far as is known."""

    candidate: Candidate
    bootstrap: bool
    seconds: float

    def made(self, member: Fitted) -> bool:
        """Return whether a member was learnt in this way."""
        return member.candidate == self.candidate and member.trial.bootstrap == self.bootstrap


def recipes_of(raced: Sequence[Sequence[Fitted]], n_rows: float) -> list[Recipe]:
    """Return the best settings of each kind: all plain, then with drawn rows.

    Parameters
    ----------
    raced
        For each kind its fits, best first.
    n_rows
        The rows that members learn from.
    """
    taken = [fit for fits in raced for fit in fits[:_SETTINGS]]
    return [
        Recipe(fit.candidate, bootstrap, fit.trial.seconds * n_rows / max(fit.trial.n_rows, 1))
        for bootstrap in (False, True)
        for fit in taken
        if not bootstrap or LEARNERS[fit.candidate.learner].takes.weights
    ]


def add_members(
    ensemble: Ensemble,
    recipes: list[Recipe],
    block: Block,
    seed: np.random.SeedSequence,
    share: float,
) -> None:
    """Learn members until they do not pay, or time or work are spent."""
    bench, clock = ensemble.bench, ensemble.bench.clock
    begun: set[Recipe] = set()
    ensemble.gains.clear()
    while clock.has_fits and ensemble.pays:
        left = clock.left(share)
        recipe = next_recipe(ensemble, [one for one in recipes if one.seconds < left], begun)
        if recipe is None:
            return
        begun.add(recipe)
        clock.n_fits += 1
        fit = bench.fit(
            "member",
            recipe.candidate,
            block,
            seed.spawn(1)[0],
            clock.seconds + min(left, max(_LONGER * recipe.seconds, _SHARE * left)),
            bootstrap=recipe.bootstrap,
        )
        if fit is None:
            recipe.seconds = np.inf
            continue
        recipe.seconds = fit.trial.seconds
        ensemble.add(fit)
        bench.note(fit.trial, bench.reached)


def next_recipe(ensemble: Ensemble, recipes: Sequence[Recipe], begun: set[Recipe]) -> Recipe | None:
    """Return what promises the most weight per second.

    That is the weight that members of its own have on average; they share it with each new one, so
    that what was learnt often comes less often. What was not tried yet would have as much as all
    others. If time is not bounded, seconds have no say.
    """
    is_timed = np.isfinite(ensemble.bench.clock.total)
    best, most = None, -np.inf
    for recipe in recipes:
        made = [place for place, one in enumerate(ensemble.members) if recipe.made(one)]
        value = 0.0 if recipe in begun else 1.0 / (len(ensemble.members) + 1)
        if made:
            value = float(ensemble.weights[made].mean())
        if is_timed:
            value /= max(recipe.seconds, _FEWEST_SECONDS)
        if value > most:
            best, most = recipe, value
    return best
