"""Slots whose rows have binary exponents: added, and brought back into range."""

from __future__ import annotations

import math

import numpy as np

from softlearn.kernels.circuit.program import SAFE, Scratch, Values
from softlearn.kernels.compile import in_order, inner

_BIAS = 1023  # of the exponent in a float64
_MANTISSA_BITS = 52
_EXPONENT_MASK = 0x7FF << _MANTISSA_BITS
_MAGNITUDE_MASK = (1 << 63) - 1
_ONE_BITS = _BIAS << _MANTISSA_BITS


@inner
def combine_scaled(
    values: Values, to: int, a: int, b: int, weights: tuple[float, float], scratch: Scratch
) -> None:
    """Write a weighted sum of slots with exponents: scale both terms to the larger one.

    Mantissas count too: a plain value of 2**-1000 is larger than 2**-5000 in any representation.
    """
    m, bits, exponent = values.mantissa, values.bits, values.exponent
    power, top = scratch.power, scratch.top
    weight_a, weight_b = weights
    if to == b:
        a, b, weight_a, weight_b = b, a, weight_b, weight_a
    fraction_a, shift_a = math.frexp(weight_a)
    fraction_b, shift_b = math.frexp(weight_b)
    has_a, has_b = values.scaled[a], values.scaled[b]
    for r in range(m.shape[1]):
        exponent_a = shift_a + (exponent[a, r] if has_a else 0.0)
        exponent_b = shift_b + (exponent[b, r] if has_b else 0.0)
        zero_a = m[a, r] == 0.0 or fraction_a == 0.0
        zero_b = m[b, r] == 0.0 or fraction_b == 0.0
        size_a = -np.inf if zero_a else exponent_a + size_of(bits[a, r])
        size_b = -np.inf if zero_b else exponent_b + size_of(bits[b, r])
        highest = max(size_a, size_b)
        highest = 0.0 if highest == -np.inf else highest
        power[0, r] = power_of_two(exponent_a - highest)
        power[1, r] = power_of_two(exponent_b - highest)
        top[r] = highest
    if to == a:  # in place is a loop of its own, for the vectoriser
        for r in range(m.shape[1]):
            m[to, r] = fraction_a * m[to, r] * power[0, r] + fraction_b * m[b, r] * power[1, r]
    else:
        for r in range(m.shape[1]):
            m[to, r] = fraction_a * m[a, r] * power[0, r] + fraction_b * m[b, r] * power[1, r]
    for r in range(m.shape[1]):
        exponent[to, r] = top[r]
    values.scaled[to] = 1


@inner
def size_of(bits: int) -> int:
    """Return the exponent inside a float64, from its bits."""
    return ((bits & _MAGNITUDE_MASK) >> _MANTISSA_BITS) - _BIAS


@inner
def power_of_two(exponent: float) -> float:
    """Return 2**exponent of a whole number, as near as a normal float64 comes to it."""
    within = np.int64(max(min(exponent, _BIAS), 1 - _BIAS))
    return np.int64((within + _BIAS) << _MANTISSA_BITS).view(np.float64)


@in_order
def times_power(x: float, exponent: float) -> float:
    """Return x * 2**exponent, in two steps: each power by itself is within reach of a float64."""
    within = max(min(exponent, 2.0 * _BIAS - 2.0), 2.0 - 2.0 * _BIAS)
    half = np.floor(0.5 * within)
    return (x * power_of_two(half)) * power_of_two(within - half)


@inner
def check_slots(values: Values, first: int, n: int) -> None:
    """Renormalise each of n slots if any of its rows has left the safe range."""
    bits, exponent, scaled, n_rows = (
        values.bits,
        values.exponent,
        values.scaled,
        values.bits.shape[1],
    )
    for slot in range(first, first + n):
        outside = np.int64(0)
        for r in range(n_rows):
            magnitude = bits[slot, r] & _MAGNITUDE_MASK
            size = magnitude >> _MANTISSA_BITS
            far = size < _BIAS - SAFE or size > _BIAS + SAFE
            outside |= np.int64(far and magnitude != 0)
        if outside == 0:
            continue
        fresh = scaled[slot] == 0
        scaled[slot] = 1
        for r in range(n_rows):
            magnitude = bits[slot, r] & _MAGNITUDE_MASK
            moved = (magnitude >> _MANTISSA_BITS) - _BIAS if magnitude != 0 else 0
            exponent[slot, r] = moved + (0.0 if fresh else exponent[slot, r])
            mantissa = (bits[slot, r] & ~_EXPONENT_MASK) | _ONE_BITS
            bits[slot, r] = mantissa if magnitude != 0 else bits[slot, r]
