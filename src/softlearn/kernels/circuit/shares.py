"""Pass the flow of a node on to one child: a sum has its share, flow divided by value."""

from __future__ import annotations

import math

from softlearn.arrays import Floats
from softlearn.kernels.circuit.program import Values
from softlearn.kernels.circuit.scaled import times_power
from softlearn.kernels.compile import inner


@inner
def divide(m: Floats, slot: int, flow: int) -> None:
    """Write the share of a sum, whose flow is in another slot, over its value."""
    for r in range(m.shape[1]):
        m[slot, r] = 0.0 if m[slot, r] == 0.0 else m[flow, r] / m[slot, r]


@inner
def plain_part(m: Floats, slot: int, own: int, weight: float, part: Floats) -> None:
    """Write the flow from a sum to a child: its share times weight times value."""
    for r in range(m.shape[1]):
        part[r] = weight * m[own, r] * m[slot, r]


@inner
def scaled_part(values: Values, slot: int, own: int, weight: float, part: Floats) -> None:
    """Write the flow from a sum to a child if one of them has exponents."""
    m, exponent = values.mantissa, values.exponent
    above, below = values.scaled[slot], values.scaled[own]
    # A weight of 1e-300 keeps its exponent apart: with a small value it would vanish.
    fraction, of_weight = math.frexp(weight)
    for r in range(m.shape[1]):
        shift = of_weight + (exponent[own, r] if below else 0.0)
        shift -= exponent[slot, r] if above else 0.0
        part[r] = times_power(fraction * m[own, r] * m[slot, r], shift)


@inner
def give(m: Floats, part: Floats, own: int, to: int, is_sum: int) -> None:
    """Add to the flow of a node with several parents; else write its flow, or its share."""
    if own != to:
        for r in range(part.size):
            m[to, r] += part[r]
    elif is_sum:
        for r in range(part.size):
            m[own, r] = 0.0 if m[own, r] == 0.0 else part[r] / m[own, r]
    else:
        for r in range(part.size):
            m[own, r] = part[r]
