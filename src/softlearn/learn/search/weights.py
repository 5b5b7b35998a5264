"""Weights of a mixture whose members are fixed, by EM on held-out rows."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.numeric_policy import EM_TOLERANCE

_MAX_ITER = 500
_PSEUDO_ROWS = 1.0  # divided equally among the members, so that few rows do not select just one


def mixture_weights(logs: Floats, row_weights: Floats, first: Floats | None = None) -> Floats:
    """Return the mixture weights that maximise the likelihood of the rows, (members,).

    Parameters
    ----------
    logs
        (members, rows) log-densities; rows that are impossible for all are ignored.
    row_weights
        (rows,).
    first
        (members,) initial weights, which are raised above 0; by default equal.

    """
    n_members = logs.shape[0]
    top = logs.max(axis=0)
    possible = (top > -np.inf) & (row_weights > 0.0)
    likely = np.exp(logs[:, possible] - top[possible])
    counted = row_weights[possible]
    shares = np.full(n_members, 1.0 / n_members)
    if first is not None:
        shares = 0.5 * (shares + first / first.sum())  # a weight of nearly 0 would hardly rise
    for _ in range(_MAX_ITER):
        joint = shares[:, None] * likely
        expected = (joint / joint.sum(axis=0)) @ counted + _PSEUDO_ROWS / n_members
        found = expected / expected.sum()
        moved = float(np.abs(found - shares).max())
        shares = found
        if moved < EM_TOLERANCE:
            break
    return np.asarray(shares)


def mixed(logs: Floats, shares: Floats) -> Floats:
    """Return the log-density of each row under the mixture, (rows,)."""
    used = shares > 0.0
    return np.asarray(np.logaddexp.reduce(logs[used] + np.log(shares[used])[:, None], axis=0))
