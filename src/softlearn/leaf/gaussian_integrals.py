"""Integrals of the Gaussian density over intervals, precise however far out or narrow."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from softlearn.arrays import Floats

LOG_SQRT_TAU: Final = 0.5 * math.log(2.0 * math.pi)

# The density falls by at most exp(1.5) over an interval that counts as narrow: ten Gauss–Legendre
# nodes then integrate it to the last bit.
_NARROW_NODES: Final = 10


def log_normal_mass(a: Floats, b: Floats, width: Floats) -> Floats:
    """Log of Φ(b) − Φ(a), where width is b − a before rounding; −inf if not b > a."""
    a, b, width = np.broadcast_arrays(a, b, width)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        beyond = a > 0.0
        low, high = np.where(beyond, -b, a), np.where(beyond, -a, b)
        log_mass = np.where(high > 0.0, _log_straddling(low, high), _log_left_tail(low, high))
        narrow = width * (1.0 + np.minimum(np.abs(a), np.abs(b))) < 1.0
        log_mass[narrow] = _log_narrow(0.5 * (a + b)[narrow], width[narrow])
        return np.where(width > 0.0, log_mass, -np.inf)


def _log_straddling(low: Floats, high: Floats) -> Floats:
    """Log-mass where low ≤ 0 < high: a sum of two halves, or one minus two tails if near 1."""
    from scipy.special import erf, ndtr  # noqa: PLC0415 - slow to load

    root = math.sqrt(0.5)
    mass = 0.5 * (erf(root * high) - erf(root * low))
    return np.where(mass < 0.5, np.log(mass), np.log1p(-(ndtr(low) + ndtr(-high))))


def _log_left_tail(low: Floats, high: Floats) -> Floats:
    """Log-mass where low < high ≤ 0, by a difference of logs."""
    from scipy.special import log_ndtr  # noqa: PLC0415 - slow to load

    log_low, log_high = log_ndtr(low), log_ndtr(high)
    gap = np.where(np.isneginf(log_low), -np.inf, log_low - log_high)
    # log(1 − exp(gap)): each form keeps the digits that the other loses.
    small = np.log(-np.expm1(gap))
    return np.asarray(log_high + np.where(gap > -math.log(2.0), small, np.log1p(-np.exp(gap))))


def _log_narrow(middle: Floats, width: Floats) -> Floats:
    """Log-mass of intervals so narrow that a difference would cancel."""
    half = 0.5 * width
    relative = np.zeros(middle.shape)
    for node, weight in zip(*legendre(_NARROW_NODES), strict=True):
        step = half * node
        relative += 0.5 * weight * np.exp(-step * (middle + 0.5 * step))
    return np.asarray(np.log(relative) + np.log(width) - 0.5 * middle * middle - LOG_SQRT_TAU)


@cache
def legendre(count: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss–Legendre on [−1, 1]."""
    from scipy.special import roots_legendre  # noqa: PLC0415 - slow to load

    nodes, weights = roots_legendre(count)
    return np.asarray(nodes), np.asarray(weights)
