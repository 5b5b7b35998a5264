"""Screen all kinds of circuits on few rows, and choose those that mix well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, thinned
from softlearn.learn.search.ahead import jobs_of
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.bounds import StageLimits
from softlearn.learn.search.trial import OUT_OF_TIME, Candidate, Fitted
from softlearn.learn.search.weights import mixture_weights

_ROWS = 2000  # more rows hardly change which kinds are good
_MOST_KINDS = 6
_LEAST_WEIGHT = 0.01  # of a kind in the mixture of all
_HOPELESS = 0.1  # nats per column behind the best kind, which more rows do not make up for
# Shares of the time of the first look: until when each kind is tried once, until when all
# candidates of fast kinds are tried, and what a fit of these may take.
_QUICK_SHARE, _CLOSER_SHARE, _QUICK = 0.4, 0.6, 0.02


class Kind(NamedTuple):
    """Rival candidates, and the results of those that were tried."""

    candidates: list[Candidate]
    fits: list[Fitted]  # best first
    block: Block  # the rows that they were fitted to

    @property
    def seconds_per_row(self) -> float:
        """The time to fit per row, estimated from the trials."""
        trial = self.fits[0].trial
        return trial.seconds / max(trial.n_rows, 1)


def few_rows(block: Block, rng: np.random.Generator) -> Block:
    """Return the rows of the first look."""
    mass = float(block.weights.sum())
    if mass <= 1.5 * _ROWS:
        return block
    return counted_rows(Block(block.values, thinned(block.weights, _ROWS / mass, rng)))


def first_look(
    bench: Bench,
    kinds: Sequence[list[Candidate]],
    block: Block,
    seed: np.random.SeedSequence,
    limits: StageLimits,
) -> list[Kind]:
    """Return the kinds whose first candidate could be learnt.

    All candidates of fast kinds are tried; slow kinds have a second chance if there is time left.

    Parameters
    ----------
    bench
        The state of the search.
    kinds
        All kinds, in order of preference if time or work do not allow all.
    block
        The rows to learn from.
    seed
        Each fit gets a child of it.
    limits
        The limits of this stage.
    """
    quick, slow = _look(bench, kinds, block, seed, limits._replace(ends=_QUICK_SHARE * limits.ends))
    closer = StageLimits(_CLOSER_SHARE * limits.ends, 0.5 * limits.max_fits)
    quick = [_look_closer(bench, kind, seed, closer, _QUICK * limits.ends) for kind in quick]
    return quick + _look(bench, slow, block, seed, limits)[0]


def _look(
    bench: Bench,
    kinds: Sequence[list[Candidate]],
    block: Block,
    seed: np.random.SeedSequence,
    limits: StageLimits,
) -> tuple[list[Kind], list[list[Candidate]]]:
    """Return the kinds whose fit finished in time, and the others.

    Each has the same time, except the very first: the search must return a model.
    """
    found: list[Kind] = []
    slow: list[list[Candidate]] = []
    firsts = [candidates[0] for candidates in kinds]
    most = limits.max_fits - bench.clock.n_fits
    bench.expect(jobs_of(firsts, block, seed, most), limits.ends)
    for place, candidates in enumerate(kinds):
        left = limits.ends - bench.clock.seconds
        if bench.trials and (left <= 0.0 or bench.clock.n_fits >= limits.max_fits):
            return found, slow
        ends = bench.clock.seconds + left / (len(kinds) - place)
        fit = bench.try_out(candidates[0], block, seed.spawn(1)[0], ends)
        if fit is not None:
            found.append(Kind(candidates, [fit], block))
        elif bench.trials[-1].outcome == OUT_OF_TIME:
            slow.append(candidates)
    return found, slow


def _look_closer(
    bench: Bench, kind: Kind, seed: np.random.SeedSequence, limits: StageLimits, quick: float
) -> Kind:
    """Try all candidates of a kind, if one takes less than so many seconds."""
    fits = list(kind.fits)
    others = kind.candidates[1:] if fits[0].trial.seconds <= quick else []
    most = limits.max_fits - bench.clock.n_fits
    bench.expect(jobs_of(others, kind.block, seed, most), limits.ends)
    for candidate in others:
        if bench.clock.seconds > limits.ends or bench.clock.n_fits >= limits.max_fits:
            break
        fit = bench.try_out(candidate, kind.block, seed.spawn(1)[0], limits.ends)
        if fit is not None:
            fits.append(fit)
    fits.sort(key=bench.score, reverse=True)
    rest = [one for one in kind.candidates if all(one is not fit.candidate for fit in fits)]
    return kind._replace(candidates=[fit.candidate for fit in fits] + rest, fits=fits)


def best_kinds(bench: Bench, kinds: Sequence[Kind], quick: float) -> list[Kind]:
    """Return the kinds with most weight in a mixture of all, and the best single one.

    Kinds that fit in less than so many seconds are kept too, unless they are far behind: they may
    be better with more rows, and that costs little to find out.
    """
    if not kinds:
        return []
    logs = np.array([kind.fits[0].logs for kind in kinds])
    weights = mixture_weights(logs, bench.valid.weights)
    alone = max(range(len(kinds)), key=lambda place: bench.score(kinds[place].fits[0]))
    order = sorted(range(len(kinds)), key=lambda place: (place != alone, -weights[place]))
    kept = [place for place in order if place == alone or weights[place] >= _LEAST_WEIGHT]
    kept = kept[:_MOST_KINDS]
    least = bench.score(kinds[alone].fits[0]).mean - _HOPELESS * len(bench.schema)
    kept += [
        place
        for place in order
        if place not in kept
        and kinds[place].fits[0].trial.seconds < quick
        and bench.score(kinds[place].fits[0]).mean > least
    ]
    return [kinds[place] for place in kept]
