"""Probability vectors, as the parameters of a leaf: estimated, checked and drawn from."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.leaf.family import no_observed_value, wrong_at
from softlearn.leaf.lookup import rank
from softlearn.numeric_policy import NORMALISATION_TOLERANCE


def probability_violations(probabilities: Floats) -> list[tuple[int, str]]:
    """Return what is wrong with rows, shape (leaves, n), that should be distributions."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = probabilities.sum(axis=-1)
    negative = np.asarray((probabilities < 0.0).any(axis=-1))
    return [
        *wrong_at(negative, lambda leaf: "a probability is negative"),
        *wrong_at(
            ~(np.abs(total - 1.0) <= NORMALISATION_TOLERANCE),
            lambda leaf: f"probabilities add to {total[leaf]:.12g}, not 1",
        ),
    ]


def smoothed(counts: Floats, smoothing: Floats | float, family: str) -> Floats:
    """Probabilities (count + smoothing) / total, along the last axis."""
    raised = counts + smoothing
    total = raised.sum(axis=-1, keepdims=True)
    if (total <= 0.0).any():
        raise no_observed_value(family)
    return np.asarray(raised / total)


def cell_at(cumulative: Floats, uniform: Floats) -> tuple[Offsets, Floats]:
    """Find the first cell whose cumulative mass exceeds uniform · total, and that target."""
    total = cumulative[..., -1]
    # Rounding must not lift the target to the total: cells of mass 0 may come after it.
    target = np.minimum(uniform * total, np.nextafter(total, 0.0))
    return np.minimum(rank(cumulative, target), cumulative.shape[-1] - 1), target
