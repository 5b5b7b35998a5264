"""The whole search: hold out rows, screen learners, race settings, mix members."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from softlearn.circuit import Circuit
from softlearn.circuit.combine import mixture
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, different_rows, hold_out
from softlearn.learn.search.ahead import Ahead, Workers
from softlearn.learn.search.alike import MOST_REALISTIC, add_alike
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.bounds import Bounds, Clock, News, StageLimits, ignore
from softlearn.learn.search.candidates import kinds_of_candidates
from softlearn.learn.search.ensemble import Ensemble, learn_again
from softlearn.learn.search.first_look import best_kinds, few_rows, first_look
from softlearn.learn.search.race import race, rounds_of
from softlearn.learn.search.recipes import add_members, recipes_of
from softlearn.learn.search.trial import Candidate, Fitted, Trial
from softlearn.learn.search.warm_up import warm_up
from softlearn.table.schema import Schema

_LOOK_SHARE = 0.2  # share of the time for screening all kinds
_SEARCH_SHARE = 0.5  # share of the time, or of the fits, until which settings are searched
_MEMBER_SHARE = 0.7  # share until which members are learnt, if they are finally fitted to all rows
_ALIKE_SHARE = 0.5  # the same, if there is no search before
_QUICK_SHARE = 0.003  # share of the time; a kind that takes less with few rows is fast
_HELD_OUT_ROWS = 50.0  # at least, if that is not too large a share
_LARGEST_SHARE = 0.3

Goal: TypeAlias = Literal["likelihood", "samples"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a search.

    Attributes
    ----------
    goal
        What is searched for: the best likelihood of new rows, or realistic drawn rows.
    held_out
        The share of the rows that is held out, unless there are validation rows.
    refit
        Whether members are finally fitted to all rows, including held-out ones.
    learners
        Names of learners to try; None is all.
    n_jobs
        Threads of each fit.
    watch
        The progress callback.
    workers
        Workers that run fits; with None they run in this process, one after another.
    """

    goal: Goal = "likelihood"
    held_out: float = 0.1
    refit: bool = True
    learners: Sequence[str] | None = None
    n_jobs: int = 1
    watch: Callable[[News], None] = ignore
    workers: Workers | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    circuit
        The best model: a mixture, or the only circuit that there is.
    score
        Its mean log-density of the held-out rows in nats, before members were fitted again; of
        the training rows if the table was too small to hold rows out. It is slightly optimistic,
        because the same rows were used for selection.
    trials
        All fits, in order.
    n_members
        Circuits in the mixture.
    ended
        Why the search ended.
    """

    circuit: Circuit
    score: float
    trials: Sequence[Trial]
    n_members: int
    ended: Literal["finished", "interrupted"]


def search(
    schema: Schema,
    rows: Block,
    valid: Block | None,
    bounds: Bounds,
    *,
    options: Options,
    seed: np.random.SeedSequence,
) -> Found:
    """Return the best mixture for a table.

    Parameters
    ----------
    schema
        The schema.
    rows
        The training rows.
    valid
        Validation rows, which are never learnt from; None holds out a share of ``rows``.
    bounds
        Limits of time and work. Without a time limit the seed determines the circuit.
    options
        The options.
    seed
        The source of randomness.
    """
    to_hold, to_draw, to_race, to_mix = seed.spawn(4)
    everything = different_rows(rows)
    train, judge = everything, valid
    if valid is None:
        share = _share(float(everything.weights.sum()), options.held_out)
        train, judge = hold_out(everything, share, np.random.default_rng(to_hold))
    if options.goal == "samples":
        kinds = [[MOST_REALISTIC]]
    else:
        rng = np.random.default_rng(to_draw)
        kinds = kinds_of_candidates(schema, everything, rng, options.learners)
    if judge is None:  # too few rows to choose by: the first learner with its defaults
        train = judge = everything
        kinds = [[replace(kinds[0][0], settings={})]]
        bounds = replace(bounds, max_fits=1)
    if bounds.seconds is not None:
        warm_up(schema, everything, [kind[0] for kind in kinds], options.n_jobs)
    clock = Clock(bounds, options.watch)
    learnt_from, judging = counted_rows(train), counted_rows(judge)
    ahead = None if options.workers is None else Ahead(options.workers, schema, judging)
    bench = Bench(schema, learnt_from, judging, clock, options.n_jobs, ahead)
    refits = options.refit and valid is None and train is not everything
    ensemble = Ensemble(bench, equal=options.goal == "samples")
    ended: Literal["finished", "interrupted"] = "finished"
    try:
        if options.goal == "samples":
            add_alike(ensemble, kinds[0][0], to_mix, _ALIKE_SHARE if refits else 1.0)
        else:
            raced = _raced(ensemble, kinds, to_race)
            recipes = recipes_of(bench, raced)
            add_members(ensemble, recipes, bench.train, to_mix, _MEMBER_SHARE if refits else 1.0)
        if refits:
            learn_again(bench, [member for member, _ in _chosen(ensemble)], everything)
    except KeyboardInterrupt:
        if bench.best is None and not ensemble.members:
            raise
        ended = "interrupted"
    finally:
        bench.expect([], 0.0)
    return _found(ensemble, ended)


def _raced(
    ensemble: Ensemble, kinds: list[list[Candidate]], seed: np.random.SeedSequence
) -> list[list[Fitted]]:
    """Return the best fits of the best kinds; those of all rows are members of the mixture."""
    bench, clock = ensemble.bench, ensemble.bench.clock
    to_look, to_thin, to_learn = seed.spawn(3)
    rng = np.random.default_rng(to_thin)
    few, blocks = few_rows(bench.train, rng), rounds_of(bench.train, rng)
    max_fits = clock.bounds.max_fits
    most = np.inf if max_fits is None else _SEARCH_SHARE * max_fits
    looked = first_look(bench, kinds, few, to_look, StageLimits(_LOOK_SHARE * clock.total, most))
    is_timed = np.isfinite(clock.total)
    best = best_kinds(bench, looked, _QUICK_SHARE * clock.total if is_timed else 0.0)
    if is_timed:  # the slowest last: it gets the time that the others leave
        best.sort(key=lambda kind: kind.seconds_per_row)
    raced = []
    for place, kind in enumerate(best):
        part = 1.0 / (len(best) - place)  # time that one does not need is left for the others
        ends = clock.seconds + part * clock.left(_SEARCH_SHARE)
        fits = race(bench, kind, blocks, to_learn, StageLimits(ends, part * (most - clock.n_fits)))
        raced.append(fits)
        of_all_rows = [fit for fit in fits if fit.trial.n_rows == bench.n_rows]
        ensemble.add(*(fit for fit in of_all_rows if fit not in ensemble.members))
    return raced


def _chosen(ensemble: Ensemble) -> list[tuple[Fitted, float]]:
    """Return the members and their weights, or the best circuit if it is better and no member.

    A single member is not preferred: as the best of many, its score is optimistic.
    """
    needed, best = ensemble.needed(), ensemble.bench.best
    is_better = ensemble.bench.best_score > ensemble.score
    if best is not None and (not needed or (is_better and best not in ensemble.members)):
        return [(best, 1.0)]
    return needed


def _found(ensemble: Ensemble, ended: Literal["finished", "interrupted"]) -> Found:
    """Return the mixture."""
    bench, needed = ensemble.bench, _chosen(ensemble)
    if not needed:
        raise SoftlearnError(f"nothing could be learnt: {bench.trials[-1].outcome}")
    for member, weight in needed:
        member.trial.weight = weight
    circuit = mixture([member.circuit for member, _ in needed], [weight for _, weight in needed])
    return Found(
        circuit=circuit,
        score=bench.reached.mean,
        trials=bench.trials,
        n_members=len(needed),
        ended=ended,
    )


def _share(n_rows: float, usual: float) -> float:
    """Return the share of the rows that is held out: more of small tables."""
    return max(usual, min(_HELD_OUT_ROWS / n_rows, _LARGEST_SHARE))
