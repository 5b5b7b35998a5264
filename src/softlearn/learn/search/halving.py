"""Successive halving: many candidates on few rows, the better ones on more, the best on all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, thinned
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.trial import Candidate, Fitted

_FACTOR = 3  # times the rows, and a third of the candidates, from round to round
_FEWEST_ROWS = 1000  # of the first round; fewer say little about settings for many
_MOST_ROUNDS = 6


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
    left = list(candidates)
    for place, block in enumerate(blocks):
        ends = share * (place + 1) / len(blocks)
        most = _fits_of_round(max_fits, bench, len(blocks) - place)
        fits = _round(bench, left, block, to_learn, share=ends, max_fits=most)
        if not fits:
            break
        chosen = Chosen(fits, block)
        left = [fit.candidate for fit in _survivors(fits)]
    return chosen


def _fits_of_round(max_fits: float, bench: Bench, n_rounds_left: int) -> float:
    """Return how many of the fits that are left a round may have; the first has the most."""
    left = max_fits - bench.clock.n_fits
    if n_rounds_left == 1 or not np.isfinite(left):
        return left
    return max(1.0, left * (_FACTOR - 1) / _FACTOR)


def _round(
    bench: Bench,
    candidates: Sequence[Candidate],
    block: Block,
    seed: np.random.SeedSequence,
    *,
    share: float,
    max_fits: float,
) -> list[Fitted]:
    """Return the fits of a round, best first; what the time does not allow is left out."""
    fits = []
    for n_done, candidate in enumerate(candidates):
        is_first = not bench.trials
        if n_done >= max_fits or (bench.clock.left(share) <= 0.0 and not is_first):
            break
        own = seed.spawn(1)[0]
        bench.clock.n_fits += 1
        fit = bench.try_out(candidate, block, own, share * bench.clock.total)
        if fit is not None:
            fits.append(fit)
    return sorted(fits, key=bench.score, reverse=True)


def _survivors(fits: Sequence[Fitted]) -> list[Fitted]:
    """Return the best third, and the best of each kind: kinds that differ mix well."""
    n_best = -(-len(fits) // _FACTOR)
    kinds: set[str] = set()
    kept = []
    for place, fit in enumerate(fits):
        if place < n_best or fit.candidate.kind not in kinds:
            kept.append(fit)
        kinds.add(fit.candidate.kind)
    return kept
