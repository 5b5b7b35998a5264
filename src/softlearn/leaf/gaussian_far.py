"""Far tails of the Gaussian: ratios of densities and masses, and moments given an interval.

A billion deviations away a log-density is −5e17, and its last bit is worth 64, so that neither the
difference of two such logarithms nor the quotient of two such masses is precise. Here the squares
are never computed, only the difference of distances, as the sum of two floats.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from softlearn.arrays import Floats
from softlearn.leaf.family import Interval
from softlearn.leaf.gaussian_integrals import (
    LOG_SQRT_TAU,
    legendre,
    log_normal_mass,
    log_share,
    log_survival,
)

# The relative rounding error of a float, and of a pair of floats, with a margin.
_ROUNDING: Final = 2.0**-50
_PAIR_ROUNDING: Final = 2.0**-100

# The density falls by exp(−72) within 12 deviations, beyond which nothing is left to add;
# 64 nodes integrate that range to the last bit, higher powers reach a little further.
_REACH: Final = 12.0
_NODES: Final = 64

Pair: TypeAlias = tuple[Floats, Floats]  # a number as the sum of two floats, the second one tiny


class Known(NamedTuple):
    """A number, or the interval from lo to hi where that is NaN."""

    value: Floats
    lo: Floats
    hi: Floats


class LogRatio(NamedTuple):
    """The logarithm of a ratio, and a bound of its rounding error."""

    value: Floats
    error: Floats


def log_ratio(params: Floats, known: Known, other: Floats, other_known: Known) -> LogRatio:
    """Return log f(known; params) − log f(other_known; other), to full precision far out.

    f is the density of a number and the mass of an interval.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        near, rest = _anchor(params, known)
        other_near, other_rest = _anchor(other, other_known)
        z = _distance(near, params[..., 0], params[..., 1])
        other_z = _distance(other_near, other[..., 0], other[..., 1])
        apart, together = _sum(other_z, (-z[0], -z[1])), _sum(other_z, z)
        # With equal deviations the point itself cancels: no digit is lost however far it is.
        alike = (params[..., 1] == other[..., 1]) & (near == other_near)
        apart = np.where(alike, (params[..., 0] - other[..., 0]) / params[..., 1], apart)
        value = 0.5 * apart * together + (rest - other_rest)
        lost = np.where(alike, 0.0, _PAIR_ROUNDING * (z[0] ** 2 + other_z[0] ** 2))
        error = _ROUNDING * np.abs(value) + lost
    value = np.where(np.isnan(value), -np.inf, value)
    return LogRatio(value, np.where(np.isneginf(value), 0.0, error))


def moment_inside(
    mean: Floats, deviation: Floats, order: int, shift: Floats, region: Interval
) -> Floats:
    """E[(x − shift) ** order | lo ≤ x ≤ hi]: an average over nodes inside the interval.

    Both sums share their nodes and are scaled by the density at the point nearest to the mean, so
    the average lies among the nodes however far out they are. No term of an even order is negative.
    """
    lo, hi = region
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        near = np.clip(mean, lo, hi)
        z = (near - mean) / deviation
        reach = _REACH + math.sqrt(order)
        # hypot(z, reach) − |z|, in which the difference would cancel.
        room = deviation * (reach * (reach / (np.abs(z) + np.hypot(z, reach))))
        first, last = np.maximum(lo - near, -room), np.minimum(hi - near, room)
        half = 0.5 * (last - first)
        total = np.zeros(np.broadcast_shapes(half.shape, shift.shape))
        mass = np.zeros(half.shape)
        start = near - shift
        for node, weight in zip(*legendre(_NODES + 2 * order), strict=True):
            step = first + half * (1.0 + node)
            t = step / deviation
            share = weight * np.exp(-t * (z + 0.5 * t))
            mass += share
            total += share * (start + step) ** order
        found = total / mass
        if order == 1:
            found = np.clip(found, lo - shift, hi - shift)
    return np.where(lo == hi, start**order, np.where(hi > lo, found, 0.0))


def draw_far(near: Floats, z: Floats, deviation: Floats, width: Floats, uniform: Floats) -> Floats:
    """Draw from an interval whose nearer end is |z| ≥ 30 deviations away: nearly an exponential."""
    from scipy.special import erfcx  # noqa: PLC0415 - slow to load

    side, distance = np.where(z < 0.0, -1.0, 1.0), np.abs(z)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        beyond = np.where(np.isinf(width), 0.0, np.exp(log_survival(distance, width)))
        # How much of the interval lies beyond the draw, seen from its nearer end.
        left = np.log(uniform + (1.0 - uniform) * beyond)
        target = np.where(side > 0.0, np.log1p(-uniform * (1.0 - beyond)), left)
        t = -target / distance
        for _ in range(4):
            slope = math.sqrt(0.5 * math.pi) * erfcx(math.sqrt(0.5) * (distance + t))
            t = np.clip(t + (log_survival(distance, t) - target) * slope, 0.0, width)
    return np.asarray(near + side * deviation * t)


def _anchor(params: Floats, known: Known) -> Pair:
    """Return the point nearest to the mean, and log f without −z²/2 at that point.

    −log √τ is left out too: it is the same on both sides of a ratio.
    """
    mean, deviation = params[..., 0], params[..., 1]
    is_value = ~np.isnan(known.value)
    near = np.where(is_value, known.value, np.clip(mean, known.lo, known.hi))
    z = np.abs(near - mean) / deviation
    width = (known.hi - known.lo) / deviation
    beside = log_normal_mass((known.lo - mean) / deviation, (known.hi - mean) / deviation, width)
    mass = np.where(z > 0.0, log_share(z, width), beside + LOG_SQRT_TAU)
    return near, np.where(is_value, -np.log(deviation), mass)


def _distance(x: Floats, mean: Floats, deviation: Floats) -> Pair:
    """Return (x − mean) / deviation, as a pair."""
    fraction, exponent = np.frexp(deviation)  # no product below leaves the range of floats
    gap, rest = _two_sum(np.ldexp(x, -exponent), np.ldexp(-mean, -exponent))
    quotient = gap / fraction
    product, error = _two_product(quotient, fraction)
    return quotient, ((gap - product) - error + rest) / fraction


def _sum(a: Pair, b: Pair) -> Floats:
    """Return the sum of two pairs, rounded once."""
    total, error = _two_sum(a[0], b[0])
    return np.asarray(total + (error + (a[1] + b[1])))


def _two_sum(a: Floats, b: Floats) -> Pair:
    """Return a + b and its rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Floats, b: Floats) -> Pair:
    """Return a · b and its rounding error (Dekker)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Floats) -> Pair:
    """Return two floats of 26 bits whose sum is a (Veltkamp)."""
    scaled = (2.0**27 + 1.0) * a
    high = scaled - (scaled - a)
    return high, a - high
