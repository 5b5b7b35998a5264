"""A race of settings: many on few rows, the better ones on more, the best on all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, thinned
from softlearn.learn.search.ahead import jobs_of
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.bounds import StageLimits
from softlearn.learn.search.first_look import Kind
from softlearn.learn.search.trial import Candidate, Fitted

_FACTOR = 3  # from round to round: so many times the rows, and a third of the candidates
_FEWEST_ROWS = 1000  # of the first round; with fewer rows, good settings for many rows do not show
_MOST_ROUNDS = 6


def rounds_of(block: Block, rng: np.random.Generator) -> list[Block]:
    """Return the rows that each round may learn from; the last has all."""
    blocks = [block]
    while block.weights.sum() >= _FACTOR * _FEWEST_ROWS and len(blocks) < _MOST_ROUNDS:
        weights = thinned(block.weights, 1.0 / _FACTOR, rng)
        block = counted_rows(Block(block.values, weights))
        blocks.insert(0, block)
    return blocks


def race(
    bench: Bench,
    kind: Kind,
    blocks: Sequence[Block],
    seed: np.random.SeedSequence,
    limits: StageLimits,
) -> list[Fitted]:
    """Return the fits of the last round that was run, best first; else those of the first look.

    Parameters
    ----------
    bench
        The state of the search.
    kind
        The settings to compare, and how long they take.
    blocks
        The rows of each round. Early rounds are skipped if there is time to begin with more rows.
    seed
        Each fit gets a child of it.
    limits
        The limits of this stage.
    """
    rows = [float(block.weights.sum()) for block in blocks]
    racing: Sequence[Candidate] = kind.candidates
    while len(racing) > 1 and _n_fits(len(racing), len(rows)) > limits.max_fits:
        racing = racing[:-1]
    begin = _first_round(len(racing), rows, kind.seconds_per_row, limits.ends - bench.clock.seconds)
    best, n_begun, pace = kind.fits, 0, kind.seconds_per_row
    for block, n_rows in zip(blocks[begin:], rows[begin:], strict=True):
        fits = []
        done = [fit.candidate for fit in kind.fits] if block is kind.block else []
        new = [one for one in racing if all(one is not other for other in done)]
        bench.expect(jobs_of(new, block, seed, limits.max_fits - n_begun), limits.ends)
        for candidate in racing:
            known = [fit for fit in kind.fits if fit.candidate is candidate]
            if known and block is kind.block:
                fits += known
                continue
            left = limits.ends - bench.clock.seconds
            if n_begun >= limits.max_fits or left <= 0.0 or pace * n_rows > max(left, _ALWAYS):
                break
            n_begun += 1
            fit = bench.try_out(candidate, block, seed.spawn(1)[0], limits.ends)
            if fit is not None:
                fits.append(fit)
                pace = fit.trial.seconds / n_rows
        if not fits:
            break
        best = sorted(fits, key=bench.score, reverse=True)
        racing = [fit.candidate for fit in best[: -(-len(best) // _FACTOR)]]
    return best


_ALWAYS = 0.1  # seconds that are there


def _n_fits(n_candidates: int, n_rounds: int) -> int:
    """Return how many fits a race is."""
    total = 0
    for _ in range(n_rounds):
        total += n_candidates
        n_candidates = -(-n_candidates // _FACTOR)
    return total


def _first_round(n_candidates: int, rows: Sequence[float], pace: float, seconds: float) -> int:
    """Return the latest round from which there is time for all further rounds; 0 if there is none.

    If time is not limited, all rounds are run.
    """
    if not np.isfinite(seconds):
        return 0
    for begin in range(len(rows) - 1, 0, -1):
        n, needed = n_candidates, 0.0
        for n_rows in rows[begin:]:
            needed += n * n_rows * pace
            n = -(-n // _FACTOR)
        if needed <= seconds:
            return begin
    return 0
