"""Choose which member to learn next, by the mixture's weights and the time per fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.ahead import Job, next_seeds
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.ensemble import Ensemble
from softlearn.learn.search.trial import Candidate, Fitted
from softlearn.learn.search.weights import mixture_weights

_SETTINGS = 2  # of each kind
_LONGER = 4.0  # times as long as expected that a member may take
_SHARE = 0.25  # of the time left that a member may take in any case
_TRY_SHARE = 0.25  # of the time left that a recipe may take to be tried, if others pay
_PAYS = 0.00003  # nats that another member must promise to pay
_FEWEST_SECONDS = 0.05  # shorter fits count as this long


@dataclass(slots=True, eq=False)
class Recipe:
    """How members are learnt.

    Attributes
    ----------
    candidate, bootstrap
        With what, and whether from drawn rows.
    seconds
        How long that takes, as far as is known.
    gain
        The nats that the last such member has gained; None before the first.
    size
        How many members there were then.
    """

    candidate: Candidate
    bootstrap: bool
    seconds: float
    gain: float | None = None
    size: int = 0

    def promises(self, n_members: int) -> float:
        """Return the nats that another member may gain; the more there are, the less."""
        assert self.gain is not None
        return self.gain * self.size / n_members


def recipes_of(bench: Bench, raced: Sequence[Sequence[Fitted]]) -> list[Recipe]:
    """Return the best settings of each kind, those first that a mixture of them has most of.

    ``raced`` has for each kind its fits, best first.
    """
    taken = [fit for fits in raced for fit in fits[:_SETTINGS]]
    if not taken:
        return []
    weights = mixture_weights(np.array([fit.logs for fit in taken]), bench.valid.weights)
    order = [taken[place] for place in np.argsort(-weights, kind="stable").tolist()]
    return [
        Recipe(fit.candidate, bootstrap, fit.trial.seconds * bench.n_rows / fit.trial.n_rows)
        for bootstrap in (False, True)
        for fit in order
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
    ensemble.gains.clear()
    while clock.has_fits and ensemble.pays:
        left = clock.left(share)
        recipe = next_recipe(recipes, len(ensemble.members), left)
        if recipe is None:
            return
        ends = clock.seconds + min(left, max(_LONGER * recipe.seconds, _SHARE * left))
        _expect_members(ensemble, recipes, block, seed, (recipe, clock.seconds + left))
        clock.n_fits += 1
        fit = bench.fit(
            "member",
            recipe.candidate,
            block,
            seed.spawn(1)[0],
            ends,
            bootstrap=recipe.bootstrap,
        )
        if fit is None:
            recipes.remove(recipe)
            continue
        ensemble.add(fit)
        gain = ensemble.gains[-1]
        if recipe.gain is None:  # that one recipe is of no use says nothing of the others
            ensemble.gains.pop()
        recipe.seconds, recipe.gain, recipe.size = fit.trial.seconds, gain, len(ensemble.members)
        bench.note(fit.trial, bench.reached)


def _expect_members(
    ensemble: Ensemble,
    recipes: Sequence[Recipe],
    block: Block,
    seed: np.random.SeedSequence,
    now: tuple[Recipe, float],
) -> None:
    """Tell which members come next: this one, those never tried, and then more of the same."""
    bench, (recipe, ends) = ensemble.bench, now
    if bench.ahead is None:
        return
    others = [one for one in recipes if one.gain is None and one is not recipe]
    likely = [recipe, *others, *[recipe] * bench.ahead.workers.n_workers]
    n_fits = bench.clock.bounds.max_fits
    most = len(likely) if n_fits is None else n_fits - bench.clock.n_fits
    likely = likely[: min(most, bench.ahead.workers.n_workers)]
    seeds = next_seeds(seed, len(likely))
    jobs = [Job(r.candidate, block, s, r.bootstrap) for r, s in zip(likely, seeds, strict=True)]
    bench.expect(jobs, ends)


def next_recipe(recipes: Sequence[Recipe], n_members: int, left: float) -> Recipe | None:
    """Return the first that was not tried yet and takes little time, else what promises most.

    What takes longer is tried if nothing else promises to pay.

    Parameters
    ----------
    recipes
        In order of preference.
    n_members
        How many members there are.
    left
        Seconds. If they are not bounded, seconds have no say.
    """
    is_timed = np.isfinite(left)

    def seconds(recipe: Recipe) -> float:
        return max(recipe.seconds, _FEWEST_SECONDS) if is_timed else 1.0

    possible = [one for one in recipes if seconds(one) < left]
    new = [one for one in possible if one.gain is None]
    for recipe in new:
        if seconds(recipe) < _TRY_SHARE * left:
            return recipe
    known = [one for one in possible if one.gain is not None]
    best = max(known, key=lambda one: one.promises(n_members) / seconds(one), default=None)
    if new and (best is None or best.promises(n_members) < _PAYS):
        return min(new, key=seconds)
    return best
