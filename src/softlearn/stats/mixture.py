"""Weighted EM for a mixture of factorised distributions."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.rows import SOFT, Clusters, ClusterSums
from softlearn.numeric_policy import EM_TOLERANCE, MIXTURE_PROBABILITY_FLOOR
from softlearn.stats.rows import WeightedRows


def em_memberships(
    rows: WeightedRows,
    start: ClusterSums,
    *,
    smoothing: float,
    deviation_floor: float,
    max_iter: int,
) -> Floats | None:
    """Return each row's membership in each component, (rows, components).

    Parameters
    ----------
    rows
        The weighted rows.
    start
        What the memberships to begin with add up to.
    smoothing
        Pseudo-count of each level.
    deviation_floor
        Smallest standard deviation of a standardised number.
    max_iter
        Most iterations; it ends earlier when the likelihood hardly grows.

    Returns
    -------
    Memberships, or None when a component has died out.
    """
    sums, before = start, -np.inf
    for _ in range(max(1, max_iter)):
        if sums.mass.min() <= 0.0:
            return None
        clusters = _maximise(rows, sums, smoothing, deviation_floor)
        sums, total = rows.one_pass(clusters, SOFT)
        value = total / rows.weights.sum()
        if value - before < EM_TOLERANCE * max(1.0, abs(value)):
            break
        before = value
    return sums.membership


def softened(sums: ClusterSums, sharpness: float) -> ClusterSums:
    """Return the sums of hard memberships when each row gives a part to all clusters alike.

    A share ``sharpness`` of each row stays with its cluster, the rest is divided evenly.
    """
    even = (1.0 - sharpness) / sums.mass.size
    mixed = [sharpness * part + even * part.sum(axis=0) for part in sums[1:]]
    return ClusterSums(sharpness * sums.membership + even, *mixed)


def _maximise(
    rows: WeightedRows, sums: ClusterSums, smoothing: float, deviation_floor: float
) -> Clusters:
    """Return the components that fit the sums best, priors in proportion to mass."""
    tiny = float(np.finfo(np.float64).tiny)
    mass = sums.mass[:, None]
    single = rows.per_feature(rows.single)
    n_levels = np.where(rows.single, 2, np.diff(rows.groups))
    observed = np.where(rows.single, mass, rows.group_sums(sums.indicators))
    total = rows.per_feature(observed + n_levels * smoothing)
    p = (sums.indicators + smoothing) / np.maximum(total, tiny)
    p = np.clip(p, MIXTURE_PROBABILITY_FLOOR, 1.0 - MIXTURE_PROBABILITY_FLOOR)
    log_p, log_q = np.log(p), np.log1p(-p)
    slope = np.where(single, log_p - log_q, log_p)
    prior = np.log(sums.mass / sums.mass.sum())
    base = prior + np.where(single, log_q, 0.0).sum(axis=1)
    seen = np.maximum(sums.numbers[:, :, 0], tiny)
    mean = sums.numbers[:, :, 1] / seen
    variance = np.maximum(sums.numbers[:, :, 2] / seen - mean**2, deviation_floor**2)
    height = -0.5 * np.log(2.0 * np.pi * variance)
    return Clusters(base, slope.astype(np.float32), mean, 0.5 / variance, height)
