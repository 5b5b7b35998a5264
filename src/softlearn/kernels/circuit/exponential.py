"""Exponentials of a whole block of rows, in vector code: a polynomial times a power of two."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Kinds
from softlearn.kernels.circuit.program import TILE_RANGE
from softlearn.kernels.circuit.scaled import power_of_two
from softlearn.kernels.compile import in_order, inner

_LN2 = math.log(2.0)
_BITS_PER_NAT = 1.0 / _LN2
# The logarithm of two in two parts. The first has 33 bits, so that its multiples are exact.
_LN2_HIGH = 0x162E42FEE * 2.0**-33
_LN2_LOW = 0x1A39EF35793C76 * 2.0**-85
_MOST_REST = 0.35  # half a bit is 0.3466; rounding may exceed it a little
_LOWEST = -1e300  # stands for the logarithm of zero where it is split
# Within half a bit of 0, the error of the series after the thirteenth power is below 5e-18.
_C3, _C4, _C5, _C6 = 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0
_C7, _C8, _C9, _C10 = (1.0 / math.factorial(k) for k in range(7, 11))
_C11, _C12, _C13 = (1.0 / math.factorial(k) for k in range(11, 14))


@inner
def multiply_exp(m: Floats, exponent: Floats, scaled: Kinds, to: int, logs: Floats) -> None:
    """Multiply a slot by exponentials; the size of rows out of range goes to the exponents."""
    outside = 0
    for r in range(logs.size):
        outside += abs(logs[r]) > TILE_RANGE * _LN2
    if outside == 0:
        for r in range(logs.size):
            size = np.floor(logs[r] * _BITS_PER_NAT + 0.5)
            m[to, r] *= _exp_of_rest(logs[r], size) * power_of_two(size)
        return
    if scaled[to] == 0:
        scaled[to] = 1
        for r in range(logs.size):
            exponent[to, r] = 0.0
    for r in range(logs.size):
        m[to, r] = m[to, r] if logs[r] > -np.inf else 0.0
    for r in range(logs.size):
        log = max(logs[r], _LOWEST)
        size = np.floor(log * _BITS_PER_NAT + 0.5)
        m[to, r] *= _exp_of_rest(log, size)
        exponent[to, r] += size


@in_order
def _exp_of_rest(log: float, size: float) -> float:
    """Return e**log without its whole number of bits, `size`."""
    rest = (log - size * _LN2_HIGH) - size * _LN2_LOW
    # Beyond 2**53 bits the rest is rounding, which must not become a large mantissa.
    x = min(max(rest, -_MOST_REST), _MOST_REST)
    y = _C13 * x + _C12
    y = y * x + _C11
    y = y * x + _C10
    y = y * x + _C9
    y = y * x + _C8
    y = y * x + _C7
    y = y * x + _C6
    y = y * x + _C5
    y = y * x + _C4
    y = y * x + _C3
    y = y * x + 0.5
    y = y * x + 1.0
    return y * x + 1.0
