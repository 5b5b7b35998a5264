"""Different rows with their weights, and some of them held out."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.learn.blocks import Block
from softlearn.stats.duplicates import merge_duplicates

_FEWEST = 20.0  # rows that have to be left to stop by; fewer say too little


def different_rows(block: Block) -> Block:
    """Return each different row once, with the weight of all like it, in an order of its own.

    Neither the order of the rows nor how often they are repeated instead of weighted changes it.
    """
    counted = block.weights > 0.0
    values, weights, _ = merge_duplicates(block.values[:, counted], block.weights[counted])
    return Block(values, weights)


def hold_out(block: Block, share: float, rng: np.random.Generator) -> tuple[Block, Block | None]:
    """Return the rows to learn from, and about this share of them to stop by.

    Each unit of a row's weight is drawn by itself, as if it were a row. None is held out if there
    would be too few.
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
    """Return how much of each weight is drawn: whole units one by one, and what is left over."""
    units = np.floor(weights)
    drawn = rng.binomial(units.astype(np.int64), share).astype(np.float64)
    rest = np.where(rng.random(weights.size) < share, weights - units, 0.0)
    return np.asarray(drawn + rest)
