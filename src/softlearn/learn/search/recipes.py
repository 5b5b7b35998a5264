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
from softlearn.learn.search.variants import variants
from softlearn.learn.search.weights import mixture_weights

_SETTINGS = 2  # of each kind
_LONGER = 4.0  # a member may take so many times the expected time
_SHARE = 0.25  # share of the remaining time that a member may always take
_TRY_SHARE = 0.25  # share of the remaining time that an untried recipe may take while others pay
_PAYS = 0.00003  # expected gain in nats that another member must have
_LEADS_ON = 0.001  # gain in nats of a first member, above which similar settings are tried next
_FEWEST_SECONDS = 0.05  # shorter fits count as this long


@dataclass(slots=True, eq=False)
class Recipe:
    """A way to learn members.

    Attributes
    ----------
    candidate, bootstrap
        The learner and settings, and whether rows are resampled.
    seconds
        How long a fit takes, as far as is known.
    gain
        The gain in nats of the last such member; None before the first.
    size
        The number of members at that time.
    """

    candidate: Candidate
    bootstrap: bool
    seconds: float
    gain: float | None = None
    size: int = 0

    def promises(self, n_members: int) -> float:
        """Return the expected gain of another member in nats, which falls with their number."""
        assert self.gain is not None
        return self.gain * self.size / n_members


def recipes_of(bench: Bench, raced: Sequence[Sequence[Fitted]]) -> list[Recipe]:
    """Return the best settings of each kind, ordered by their weight in a mixture of all.

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
    """Learn members until they no longer improve the score, or a limit is reached.

    Untried recipes and the most promising one take turns. Settings that were best on few rows may
    be too simple for all. So if a member pays, settings that differ from its own by one step of one
    parameter are tried next.
    """
    bench, clock = ensemble.bench, ensemble.bench.clock
    ensemble.gains.clear()
    known = [recipe.candidate for recipe in recipes]
    was_new = False
    while clock.has_fits and ensemble.pays:
        left = clock.left(share)
        recipe = next_recipe(recipes, len(ensemble.members), left, again=was_new)
        if recipe is None:
            return
        was_new = recipe.gain is None
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
        if recipe.gain is None:  # one failed recipe says nothing about the others
            ensemble.gains.pop()
            if gain > _LEADS_ON and not recipe.bootstrap:
                new = variants(recipe.candidate, known)
                known += new
                recipes[:0] = [Recipe(one, False, fit.trial.seconds) for one in new]
        recipe.seconds, recipe.gain, recipe.size = fit.trial.seconds, gain, len(ensemble.members)
        bench.note(fit.trial, bench.reached)


def _expect_members(
    ensemble: Ensemble,
    recipes: Sequence[Recipe],
    block: Block,
    seed: np.random.SeedSequence,
    now: tuple[Recipe, float],
) -> None:
    """Announce the next members: this one, untried ones, then more of the same."""
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


def next_recipe(
    recipes: Sequence[Recipe], n_members: int, left: float, *, again: bool = False
) -> Recipe | None:
    """Return the first untried recipe that takes little time, else the most promising one.

    Slow untried recipes are tried once no other is expected to pay.

    Parameters
    ----------
    recipes
        In order of preference.
    n_members
        How many members there are.
    left
        The remaining seconds. If they are not limited, the time of a recipe does not matter.
    again
        Whether to prefer the most promising recipe that was tried before, if it is expected to pay.
    """
    is_timed = np.isfinite(left)

    def seconds(recipe: Recipe) -> float:
        return max(recipe.seconds, _FEWEST_SECONDS) if is_timed else 1.0

    possible = [one for one in recipes if seconds(one) < left]
    new = [one for one in possible if one.gain is None]
    known = [one for one in possible if one.gain is not None]
    best = max(known, key=lambda one: one.promises(n_members) / seconds(one), default=None)
    pays = best is not None and best.promises(n_members) >= _PAYS
    if again and pays:
        return best
    for recipe in new:
        if seconds(recipe) < _TRY_SHARE * left:
            return recipe
    return min(new, key=seconds) if new and not pays else best
