"""Split columns into independent parts, and rows into clusters, by the states of all cells."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Offsets
from softlearn.stats.independence import WEIGHT_PER_CELL, critical_values
from softlearn.stats.mutual_information import PairSums, mutual_information
from softlearn.stats.states import States

_PASSES = 10  # of incremental EM; it ends when no row moves
_LEAST_PSEUDO_COUNT = 0.01  # of the clusters' levels, so that no row is impossible


def independent_parts(states: States, pairs: PairSums, significance: float) -> Offsets:
    """Return a label per column, equal for those that depend on each other, by any chain.

    G is twice the weight times the mutual information.
    """
    n = states.n_states.size
    seen = (pairs.weights > 0.0).astype(np.int64)
    n_seen = np.add.reduceat(seen, pairs.start[:-1]) if n else np.zeros(0, np.int64)
    freedom = np.outer(n_seen - 1, n_seen - 1)
    mass = float(states.weights.sum())
    limit = critical_values(significance, max(int(freedom.max(initial=1)), 1))[0]
    cells = np.outer(n_seen, n_seen)
    linked = (2.0 * mass * mutual_information(pairs) > limit[np.maximum(freedom, 0)]) & (
        freedom > 0
    )
    linked &= mass > WEIGHT_PER_CELL * cells
    np.fill_diagonal(linked, val=True)
    label = np.arange(n)
    while True:
        lowest = np.where(linked, label, n).min(axis=1, initial=n)
        if (lowest == label).all():
            return label
        label = lowest


def naive_bayes_clusters(
    states: States, rng: np.random.Generator, smoothing: float, price: float, most: int
) -> Offsets:
    """Return the cluster of each row by hard incremental EM; one more costs ``price`` nats."""
    from softlearn.kernels.cluster.incremental import incremental_em  # noqa: PLC0415 - loads Numba

    found = incremental_em(
        np.ascontiguousarray(states.codes.T),
        states.start,
        states.weights,
        rng.permutation(states.weights.size),
        max(float(smoothing), _LEAST_PSEUDO_COUNT),
        float(price),
        most,
        _PASSES,
    )
    return found.astype(np.int64)
