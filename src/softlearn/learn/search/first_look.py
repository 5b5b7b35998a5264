"""A first look at all kinds of circuits, on few rows, to find those that go well together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softlearn.learn.blocks import Block
from softlearn.learn.held_out import counted_rows, thinned
from softlearn.learn.search.bench import Bench
from softlearn.learn.search.bounds import Heat
from softlearn.learn.search.trial import OUT_OF_TIME, Candidate, Fitted
from softlearn.learn.search.weights import mixture_weights

_ROWS = 2000  # more say little more about which kinds are good
_MOST_KINDS = 5
_LEAST_WEIGHT = 0.02  # of a kind in the mixture of all
_WAITS = (0.07, 0.5)  # shares of the time of the first look that a kind may take: quick ones first


class Kind(NamedTuple):
    """Candidates that are rivals, and how the first of them did."""

    candidates: list[Candidate]
    first: Fitted

    @property
    def seconds_per_row(self) -> float:
        """How long it takes to learn, as far as is known."""
        trial = self.first.trial
        return trial.seconds / max(trial.n_rows, 1)


def few_rows(block: Block, rng: np.random.Generator) -> Block:
    """Return the rows of the first look."""
    mass = float(block.weights.sum())
    if mass <= 1.5 * _ROWS:
        return block
    return counted_rows(Block(block.values, thinned(block.weights, _ROWS / mass, rng)))


def look(
    bench: Bench,
    kinds: Sequence[list[Candidate]],
    block: Block,
    seed: np.random.SeedSequence,
    heat: Heat,
) -> list[Kind]:
    """Return the kinds whose first candidate could be learnt.

    Parameters
    ----------
    bench
        Where they are tried.
    kinds
        In order of preference, if time or work do not allow all.
    block
        The rows to learn from.
    seed
        Each fit has its own part of it.
    heat
        Time and work that this may take.
    """
    found: list[Kind] = []
    slow: list[list[Candidate]] = list(kinds)
    for wait in _WAITS:
        waiting, slow = slow, []
        for candidates in waiting:
            left = heat.ends - bench.clock.seconds
            if found and (left <= 0.0 or bench.clock.n_fits >= heat.max_fits):
                return found
            bench.clock.n_fits += 1
            ends = bench.clock.seconds + min(wait * heat.ends, left)
            fit = bench.try_out(candidates[0], block, seed.spawn(1)[0], ends)
            if fit is not None:
                found.append(Kind(candidates, fit))
            elif bench.trials[-1].outcome == OUT_OF_TIME:
                slow.append(candidates)
    return found


def best_kinds(bench: Bench, kinds: Sequence[Kind]) -> list[Kind]:
    """Return the kinds that a mixture of all would have most of, and the best of all alone."""
    if not kinds:
        return []
    logs = np.array([kind.first.logs for kind in kinds])
    weights = mixture_weights(logs, bench.valid.weights)
    alone = max(range(len(kinds)), key=lambda place: bench.score(kinds[place].first))
    order = sorted(range(len(kinds)), key=lambda place: (place != alone, -weights[place]))
    kept = [place for place in order if place == alone or weights[place] >= _LEAST_WEIGHT]
    return [kinds[place] for place in kept[:_MOST_KINDS]]
