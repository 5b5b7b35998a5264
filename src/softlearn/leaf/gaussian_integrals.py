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
        straddles = high > 0.0
        log_mass = np.where(straddles, _log_straddling(low, high), _log_tail(-high, width))
        narrow = straddles & (width * (1.0 + np.minimum(np.abs(a), np.abs(b))) < 1.0)
        log_mass[narrow] = _log_narrow(0.5 * (a + b)[narrow], width[narrow])
        return np.where(width > 0.0, log_mass, -np.inf)


def log_share(z: Floats, width: Floats) -> Floats:
    """Log of ∫ exp(−t z − t²/2) dt from 0 to width, for z ≥ 0; −inf if not width > 0."""
    from scipy.special import erfcx  # noqa: PLC0415 - slow to load

    z, width = np.broadcast_arrays(z, width)
    wide = 0.5 * math.log(0.5 * math.pi) + np.log(erfcx(math.sqrt(0.5) * z))
    wide = wide + np.log1p(-np.where(np.isinf(width), 0.0, np.exp(log_survival(z, width))))
    narrow = np.zeros(z.shape)
    for node, weight in zip(*legendre(_NARROW_NODES), strict=True):
        t = 0.5 * width * (1.0 + node)
        narrow += 0.5 * weight * np.exp(-t * (z + 0.5 * t))
    found = np.where(width * (1.0 + z) < 1.0, np.log(width) + np.log(narrow), wide)
    return np.where(width > 0.0, found, -np.inf)


def log_survival(z: Floats, t: Floats) -> Floats:
    """Log of the tail beyond z + t over the tail beyond z."""
    from scipy.special import erfcx  # noqa: PLC0415 - slow to load

    root = math.sqrt(0.5)
    return np.asarray(np.log(erfcx(root * (z + t)) / erfcx(root * z)) - t * (z + 0.5 * t))


def _log_straddling(low: Floats, high: Floats) -> Floats:
    """Log-mass where low ≤ 0 < high: a sum of two halves, or one minus two tails if near 1."""
    from scipy.special import erf, ndtr  # noqa: PLC0415 - slow to load

    root = math.sqrt(0.5)
    mass = 0.5 * (erf(root * high) - erf(root * low))
    return np.where(mass < 0.5, np.log(mass), np.log1p(-(ndtr(low) + ndtr(-high))))


def _log_tail(z: Floats, width: Floats) -> Floats:
    """Log-mass from z ≥ 0 to z + width: the density at z, and how it falls from there.

    Far out, a difference of two tails would not show the width.
    """
    return np.where(np.isinf(z), -np.inf, log_share(z, width) - 0.5 * z * z - LOG_SQRT_TAU)


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
