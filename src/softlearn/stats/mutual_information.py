"""Mutual information of all pairs of columns, and Chow–Liu trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.numeric_policy import ROUNDING
from softlearn.stats.states import States

_EXACT_SINGLES = 2.0**24  # whole numbers below it are exact in single precision


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
    dtype = np.float32 if _are_few_whole_rows(weights) else np.float64
    if (states.n_states == 2).all() and codes.max(initial=0) < 2:
        return PairSums(_sums_of_two(codes.astype(dtype), weights), states.start)
    indicators = np.zeros((states.start[-1], weights.size), dtype)
    for first, n, own in zip(states.start.tolist(), states.n_states.tolist(), codes, strict=False):
        indicators[first : first + n] = own == np.arange(n)[:, None]
    return PairSums(_products(indicators, weights), states.start)


def _are_few_whole_rows(weights: Floats) -> bool:
    """Return whether single precision sums them exactly, which takes half the time."""
    return bool(weights.sum() < _EXACT_SINGLES and (weights == np.rint(weights)).all())


def _products(x: AnyArray, weights: Floats) -> Floats:
    """Return the weighted sums of products of all pairs of features."""
    sums: Floats = ((x * weights.astype(x.dtype)) @ x.T).astype(np.float64)
    return sums


def _sums_of_two(ones: AnyArray, weights: Floats) -> Floats:
    """Return the sums of columns of two states without gaps, from the rows in the second."""
    n_columns = ones.shape[0]
    both = _products(ones, weights)
    own, mass = both.diagonal(), weights.sum()
    sums = np.empty((n_columns, 2, n_columns, 2))
    sums[:, 1, :, 1] = both
    sums[:, 1, :, 0] = own[:, None] - both
    sums[:, 0, :, 1] = own - both
    sums[:, 0, :, 0] = mass - own[:, None] - own + both
    return np.maximum(sums.reshape(2 * n_columns, 2 * n_columns), 0.0)


def mutual_information(pairs: PairSums, smoothing: float = 0.0) -> Floats:
    """Return the mutual information of all pairs in nats, (columns, columns).

    The diagonal holds the entropy of each column, without smoothing. A pair that no row observes
    has 0.

    Parameters
    ----------
    pairs
        The tables of all pairs.
    smoothing
        Pseudo-rows of every pair of columns, spread over its table as if they were independent.
    """
    from softlearn.kernels.tree.information import information_of_pairs  # noqa: PLC0415 - loads Numba

    found = np.empty((pairs.start.size - 1, pairs.start.size - 1))
    information_of_pairs(pairs.sums, pairs.start, float(smoothing), ROUNDING, found)
    return found


def spanning_tree(gain: Floats, as_root: Floats | None = None) -> Offsets:
    """Return the parent of each column in the tree of largest total gain, -1 for roots.

    Edges without any gain are left out, so that there may be several trees.

    Parameters
    ----------
    gain
        (columns, columns) symmetric, such as mutual information; the diagonal is not read.
    as_root
        (columns,) preference of each column as a root; by default the first of a tree is the root.
    """
    from softlearn.kernels.tree.information import largest_tree  # noqa: PLC0415 - loads Numba

    return largest_tree(gain, np.zeros(gain.shape[0]) if as_root is None else as_root)


def chow_liu_tree(states: States, smoothing: float = 0.0) -> Offsets:
    """Return the parent of each column in the tree of largest mutual information, -1 for roots.

    Chow and Liu, Approximating Discrete Probability Distributions with Dependence Trees, 1968.
    """
    return spanning_tree(mutual_information(pair_sums(states), smoothing))
