"""Successive halving: many candidates on few rows, the better ones on more, the best on all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, thinned
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.trial import Candidate, Fitted

_FACTOR = 3  # times the rows, and a third of the candidates, from round to round
_LONGER = 1.5  # times the time, from round to round
_FEWEST_ROWS = 1000  # of the first round; fewer say little about settings for many
_MOST_ROUNDS = 6


class Entrant(NamedTuple):
    """A candidate in a round, and how long it will take as far as is known."""

    candidate: Candidate
    seconds: float = 0.0


class Chosen(NamedTuple):
    """What halving has found."""

    fits: list[Fitted]  # of the last round that had any, best first
    block: Block  # what they learnt from


def rounds_of(block: Block, rng: np.random.Generator) -> list[Block]:
    """Return the rows that each round learns from; the last has all."""
    blocks = [block]
    while block.weights.sum() >= _FACTOR * _FEWEST_ROWS and len(blocks) < _MOST_ROUNDS:
        weights = thinned(block.weights, 1.0 / _FACTOR, rng)
        block = counted_rows(Block(block.values, weights))
        blocks.insert(0, block)
    return blocks


def halve(
    bench: Bench,
    candidates: Sequence[Candidate],
    seed: np.random.SeedSequence,
    share: float,
    max_fits: float,
) -> Chosen:
    """Return the best candidates, learnt from as many rows as the time allows.

    Parameters
    ----------
    bench
        Where they are tried.
    candidates
        In the order in which they are tried.
    seed
        Each fit has its own part of it.
    share
        The share of all time that may be spent.
    max_fits
        The most fits.
    """
    to_thin, to_learn = seed.spawn(2)
    blocks = rounds_of(bench.train, np.random.default_rng(to_thin))
    chosen = Chosen([], blocks[0])
    left = [Entrant(candidate) for candidate in candidates]
    times = np.cumsum(_LONGER ** np.arange(len(blocks)))
    for place, block in enumerate(blocks):
        ends = share * float(times[place] / times[-1])
        most = _fits_of_round(max_fits, bench, len(blocks) - place)
        fits = _round(bench, left, block, to_learn, share=ends, max_fits=most)
        if not fits:
            break
        chosen = Chosen(fits, block)
        longer = blocks[min(place + 1, len(blocks) - 1)].weights.sum() / block.weights.sum()
        left = [Entrant(fit.candidate, longer * fit.trial.seconds) for fit in _survivors(fits)]
    return chosen


def _fits_of_round(max_fits: float, bench: Bench, n_rounds_left: int) -> float:
    """Return how many of the fits that are left a round may have; the first has the most."""
    left = max_fits - bench.clock.n_fits
    if n_rounds_left == 1 or not np.isfinite(left):
        return left
    return max(1.0, left * (_FACTOR - 1) / _FACTOR)


def _round(
    bench: Bench,
    entrants: Sequence[Entrant],
    block: Block,
    seed: np.random.SeedSequence,
    *,
    share: float,
    max_fits: float,
) -> list[Fitted]:
    """Return the fits of a round, best first; what the time does not allow is left out."""
    waiting, fits, n_begun = list(entrants), [], 0
    spent: dict[str, float] = defaultdict(float)  # seconds of each kind
    while waiting and n_begun < max_fits:
        left = np.inf if not bench.trials else bench.clock.left(share)
        waiting = [one for one in waiting if one.seconds < left]
        if not waiting:
            break
        entrant = waiting.pop(_next_place(waiting, spent, bench))
        candidate = entrant.candidate
        own = seed.spawn(1)[0]
        n_begun += 1
        bench.clock.n_fits += 1
        started = bench.clock.seconds
        fit = bench.try_out(candidate, block, own, share * bench.clock.total)
        spent[candidate.kind] += bench.clock.seconds - started
        if fit is not None:
            fits.append(fit)
    return sorted(fits, key=bench.score, reverse=True)


def _next_place(waiting: Sequence[Entrant], spent: Mapping[str, float], bench: Bench) -> int:
    """Return whose turn it is: if time is short each kind has as much of it, else the first."""
    if not np.isfinite(bench.clock.total):
        return 0
    return min(range(len(waiting)), key=lambda place: spent[waiting[place].candidate.kind])


def _survivors(fits: Sequence[Fitted]) -> list[Fitted]:
    """Return the best of each kind, as kinds that differ mix well, and the best third."""
    n_best = -(-len(fits) // _FACTOR)
    first: dict[str, Fitted] = {}
    for fit in fits:
        first.setdefault(fit.candidate.kind, fit)
    best_of_kinds = list(first.values())
    return [*best_of_kinds, *(fit for fit in fits[:n_best] if fit not in best_of_kinds)]
