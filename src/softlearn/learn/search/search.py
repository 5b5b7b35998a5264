"""The whole search: rows held out, candidates halved, members mixed, and learnt again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from softlearn.circuit import Circuit
from softlearn.circuit.combine import mixture
from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, different_rows, hold_out
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.bounds import Bounds, Clock, News, ignore
from softlearn.learn.search.candidates import candidates
from softlearn.learn.search.ensemble import Ensemble, add_members, learn_again
from softlearn.learn.search.halving import halve
from softlearn.learn.search.trial import Trial
from softlearn.learn.search.warm_up import warm_up
from softlearn.table.schema import Schema

_SEARCH_SHARE = 0.4  # of the time, or of the fits, for finding settings
_MEMBER_SHARE = 0.7  # until when members are learnt, if they are learnt again from all rows
_HELD_OUT_ROWS = 50.0  # at least, if that is not too large a share
_LARGEST_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a search is done.

    Attributes
    ----------
    held_out
        The share of the rows that judges, if no others do.
    refit
        Whether members are learnt again from all rows in the end, if some were held out of them.
    learners
        Names of learners to try; None is all.
    n_jobs
        Threads of each fit.
    watch
        Told how far the search has come.
    """

    held_out: float = 0.1
    refit: bool = True
    learners: Sequence[str] | None = None
    n_jobs: int = 1
    watch: Callable[[News], None] = ignore


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """What a search has found.

    Attributes
    ----------
    circuit
        The best model: a mixture, or the only circuit that there is.
    score
        Its mean log-density of the held-out rows in nats, before members were learnt again; of
        the rows learnt from if the table was too small to hold rows out. It is a little too good:
        the rows chose it.
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
        What the columns are.
    rows
        What may be learnt from.
    valid
        Rows that judge and are never learnt from; None holds out a share of ``rows``.
    bounds
        Time and work. A search that only work bounds gives the same circuit for the same seed.
    options
        How it is done.
    seed
        All the chance there is.
    """
    to_hold, to_draw, to_halve, to_mix = seed.spawn(4)
    everything = different_rows(rows)
    train, judge = everything, valid
    if valid is None:
        share = _share(float(everything.weights.sum()), options.held_out)
        train, judge = hold_out(everything, share, np.random.default_rng(to_hold))
    tried = candidates(schema, everything, np.random.default_rng(to_draw), options.learners)
    if judge is None:  # too few rows to choose by: the first learner with its defaults
        train = judge = everything
        tried, bounds = tried[:1], replace(bounds, max_members=1)
    if bounds.seconds is not None:
        warm_up(schema, everything, tried, options.n_jobs)
    clock = Clock(bounds, options.watch)
    bench = Bench(schema, counted_rows(train), counted_rows(judge), clock, options.n_jobs)
    refits = options.refit and valid is None and train is not everything
    ensemble = Ensemble(bench)
    ended: Literal["finished", "interrupted"] = "finished"
    try:
        most = np.inf if bounds.max_fits is None else max(1.0, _SEARCH_SHARE * bounds.max_fits)
        chosen = halve(bench, tried, to_halve, _SEARCH_SHARE, most)
        add_members(ensemble, chosen, to_mix, _MEMBER_SHARE if refits else 1.0)
        if refits:
            learn_again(bench, [member for member, _ in ensemble.needed()], everything)
    except KeyboardInterrupt:
        if bench.best is None:
            raise
        ended = "interrupted"
    return _found(ensemble, ended)


def _found(ensemble: Ensemble, ended: Literal["finished", "interrupted"]) -> Found:
    """Return the mixture, or the best circuit so far if it is better."""
    bench = ensemble.bench
    needed = ensemble.needed()
    if bench.best is not None and (not needed or bench.best_score > ensemble.score):
        needed = [(bench.best, 1.0)]
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


def _share(n_rows: float, asked: float) -> float:
    """Return the share of the rows that judges: more of small tables."""
    return max(asked, min(_HELD_OUT_ROWS / n_rows, _LARGEST_SHARE))
