"""Merge equal rows into weighted ones, and hold some of them out."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.blocks import Block
from softlearn.stats.duplicates import merge_duplicates

_FEWEST = 20.0  # the fewest held-out rows that are enough for early stopping


def different_rows(block: Block) -> Block:
    """Return each distinct row once with its total weight, in a canonical order.

    The result does not depend on the order of the rows, or on repeating a row instead of weighting.
    """
    counted = block.weights > 0.0
    values, weights, _ = merge_duplicates(block.values[:, counted], block.weights[counted])
    return Block(values, weights)


def hold_out(block: Block, share: float, rng: np.random.Generator) -> tuple[Block, Block | None]:
    """Return the training rows, and about this share of them held out for early stopping.

    Each unit of a row's weight is drawn independently, as if it were a row. None is held out if
    there would be too few.
    """
    if float(block.weights.sum()) * share < _FEWEST:
        return block, None
    held = thinned(block.weights, share, rng)
    return Block(block.values, block.weights - held), Block(block.values, held)


def counted_rows(block: Block) -> Block:
    """Return the rows of positive weight."""
    counted = block.weights > 0.0
    return block if counted.all() else Block(block.values[:, counted], block.weights[counted])


def thinned(weights: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Return how much of each weight is drawn: whole units one by one, then the fraction."""
    units = np.floor(weights)
    drawn = rng.binomial(units.astype(np.int64), share).astype(np.float64)
    rest = np.where(rng.random(weights.size) < share, weights - units, 0.0)
    return np.asarray(drawn + rest)
