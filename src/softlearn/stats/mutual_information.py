"""How much all pairs of columns say of each other, and the tree that keeps most of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from softlearn.arrays import Floats, Offsets
from softlearn.numeric_policy import ROUNDING
from softlearn.stats.states import States


class PairSums(NamedTuple):
    """Weighted tables of all pairs of columns, each of the rows that have both cells.

    Attributes
    ----------
    sums
        (states, states) the weight of the rows that are in both of two states; the diagonal holds
        the weight of each state.
    start
        (columns + 1,) where each column's states begin.
    """

    sums: Floats
    start: Offsets

    @property
    def weights(self) -> Floats:
        """The weight of each state, (states,)."""
        return self.sums.diagonal()

    def table(self, i: int, j: int) -> Floats:
        """Return the table of two columns, (states of i, states of j)."""
        return self.sums[self.start[i] : self.start[i + 1], self.start[j] : self.start[j + 1]]


def pair_sums(states: States) -> PairSums:
    """Return the tables of all pairs, by one matrix product.

    If all columns have two states and no missing cell, the product is one of columns.
    """
    codes, weights = states.codes, states.weights
    if (states.n_states == 2).all() and codes.max(initial=0) < 2:
        return PairSums(_sums_of_two(codes.astype(np.float64), weights), states.start)
    indicators = np.zeros((states.start[-1], weights.size))
    for first, n, own in zip(states.start.tolist(), states.n_states.tolist(), codes, strict=False):
        indicators[first : first + n] = own == np.arange(n)[:, None]
    return PairSums((indicators * weights) @ indicators.T, states.start)


def _sums_of_two(ones: Floats, weights: Floats) -> Floats:
    """Return the sums of columns of two states without gaps, from the rows in the second."""
    n_columns = ones.shape[0]
    both = (ones * weights) @ ones.T
    own, mass = both.diagonal(), weights.sum()
    sums = np.empty((n_columns, 2, n_columns, 2))
    sums[:, 1, :, 1] = both
    sums[:, 1, :, 0] = own[:, None] - both
    sums[:, 0, :, 1] = own - both
    sums[:, 0, :, 0] = mass - own[:, None] - own + both
    return np.maximum(sums.reshape(2 * n_columns, 2 * n_columns), 0.0)


def mutual_information(pairs: PairSums, smoothing: float = 0.0) -> Floats:
    """Return the mutual information of all pairs in nats, (columns, columns).

    The diagonal holds the entropy of each column, if nothing is smoothed. A pair that no row
    observes says nothing.

    Parameters
    ----------
    pairs
        The tables of all pairs.
    smoothing
        Pseudo-rows of every pair of columns, spread over its table as if they were independent.
    """
    sums, start = pairs.sums, pairs.start[:-1]
    across = np.add.reduceat(sums, start, axis=1)  # (states, columns)
    mass = np.add.reduceat(across, start, axis=0)  # (columns, columns)
    if smoothing > 0.0:
        share = across / np.where(mass > 0.0, mass, 1.0).repeat(np.diff(pairs.start), axis=0)
        share = share.repeat(np.diff(pairs.start), axis=1)
        sums = sums + smoothing * share * share.T
        across = np.add.reduceat(sums, start, axis=1)
        mass = np.add.reduceat(across, start, axis=0)
    of_joint = np.add.reduceat(np.add.reduceat(xlogy(sums, sums), start, axis=1), start, axis=0)
    of_margin = np.add.reduceat(xlogy(across, across), start, axis=0)
    total = of_joint - of_margin - of_margin.T + xlogy(mass, mass)
    np.fill_diagonal(total, (xlogy(mass, mass) - of_margin).diagonal())
    # What is below rounding is none: columns that never vary are independent of all others.
    total[total <= ROUNDING * xlogy(mass, mass)] = 0.0
    return total / np.where(mass > 0.0, mass, 1.0)


def spanning_tree(gain: Floats, as_root: Floats | None = None) -> Offsets:
    """Return the parent of each column in the tree of largest total gain, -1 for roots.

    Edges without any gain are left out, so that there may be several trees.

    Parameters
    ----------
    gain
        (columns, columns) symmetric, such as mutual information; the diagonal is not read.
    as_root
        (columns,) how well each column suits as a root; by default the first of a tree is best.
    """
    n = gain.shape[0]
    parent, best = np.full(n, -1), np.zeros(n)
    is_open = np.ones(n, dtype=bool)
    fitness = np.zeros(n) if as_root is None else as_root
    for _ in range(n):
        node = int(np.argmax(np.where(is_open, best, -1.0)))
        if best[node] <= 0.0:  # the next tree begins
            node = int(np.argmax(np.where(is_open, fitness, -1.0)))
        is_open[node] = False
        better = is_open & (gain[node] > best)
        parent[better] = node
        best[better] = gain[node][better]
    return parent


def chow_liu_tree(states: States, smoothing: float = 0.0) -> Offsets:
    """Return the parent of each column in the tree of largest mutual information, -1 for roots.

    Chow and Liu, Approximating Discrete Probability Distributions with Dependence Trees, 1968.
    """
    return spanning_tree(mutual_information(pair_sums(states), smoothing))
