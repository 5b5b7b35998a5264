"""Run a program on a block of rows, in scaled linear arithmetic.

Values are plain float64 while they can be: products multiply, sums multiply and add. Only where
a check finds a row outside the safe range does a slot get binary exponents, one a row.
"""

# ruff: noqa: ANN001, ANN202 - kernels are typed by compilation

from __future__ import annotations

import math

import numpy as np

from softlearn.kernels.compile import kernel
from softlearn.kernels.program import (
    BINARY,
    CHECK,
    COMBINE,
    LEAVES_MULTIPLY,
    LEAVES_SET,
    MULTIPLY,
    OBSERVED,
    SAFE,
    SCALE,
    TABLE,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
)

_BIAS = 1023  # of the exponent in a float64
_MANTISSA_BITS = 52
_EXPONENT_MASK = 0x7FF << _MANTISSA_BITS
_MAGNITUDE_MASK = (1 << 63) - 1
_ONE_BITS = _BIAS << _MANTISSA_BITS
_LOWEST = -(1 << 40)  # exponent of zero: below that of any value
_TINY_WEIGHT = 2.0**-600  # a weight below this joins its exponent to the row's
_LN2 = math.log(2.0)


@kernel
def run(program, first, last, rows, tiles, values, scratch):
    """Execute instructions first:last on one block."""
    for i in range(first, last):
        op = program.op[i]
        to, a, b = program.to[i], program.a[i], program.b[i]
        if op == LEAVES_SET or op == LEAVES_MULTIPLY:
            _leaves(program, i, rows, tiles, values, op == LEAVES_SET)
        elif op == MULTIPLY:
            _multiply(values, to, a, b)
        elif op == COMBINE:
            _combine(values, to, a, b, program.weight_a[i], program.weight_b[i], scratch)
        elif op == SCALE:
            _scale(values, to, a, program.weight_a[i])
        elif op == CHECK:
            _check(values, to)


@kernel
def log_of(values, slot, out):
    """Write the logarithm of a slot; zero gives -inf."""
    for r in range(out.size):
        out[r] = math.log(values.mantissa[slot, r])
    if values.scaled[slot]:
        for r in range(out.size):
            out[r] += values.exponent[slot, r] * _LN2


@kernel
def _leaves(program, i, rows, tiles, values, fresh):
    """Multiply the leaves of an instruction into slot `to`."""
    to, a = program.to[i], program.a[i]
    target = values.mantissa[to]
    if fresh:
        values.scaled[to] = 0
        target[:] = 1.0
    elif to != a:
        _copy(values, to, a)
    j, end = program.leaf_from[i], program.leaf_to[i]
    while j < end:
        if program.leaf_source[j] == BINARY:
            j += _binary(program, j, end, rows, target)
        elif program.leaf_source[j] == TABLE:
            _table(program, j, rows, target)
            j += 1
        else:
            _tile(tiles, program.leaf_place[j], values, to)
            j += 1


@kernel
def _binary(program, j, end, rows, target):
    """Multiply one binary leaf, or two when both columns are observed; return how many."""
    column, offset = program.leaf_place[j], program.leaf_offset[j]
    state = rows.binary_state[column]
    p0, p1 = program.table[offset], program.table[offset + 1]
    if state == UNOBSERVED:
        return 1
    if state == OBSERVED:
        # The larger probability is reached by adding a difference, so nothing cancels.
        likely = 1 if p1 >= p0 else 0
        low = min(p0, p1)
        step = max(p0, p1) - low
        x = rows.factors[likely, column]
        if j + 1 < end and program.leaf_source[j + 1] == BINARY:
            column2, offset2 = program.leaf_place[j + 1], program.leaf_offset[j + 1]
            if rows.binary_state[column2] == OBSERVED:
                q0, q1 = program.table[offset2], program.table[offset2 + 1]
                low2 = min(q0, q1)
                step2 = max(q0, q1) - low2
                y = rows.factors[1 if q1 >= q0 else 0, column2]
                for r in range(target.size):
                    target[r] *= (low + x[r] * step) * (low2 + y[r] * step2)
                return 2
        for r in range(target.size):
            target[r] *= low + x[r] * step
        return 1
    x0, x1 = rows.factors[0, column], rows.factors[1, column]
    for r in range(target.size):
        target[r] *= p0 * x0[r] + p1 * x1[r]
    return 1


@kernel
def _table(program, j, rows, target):
    """Multiply a leaf with more than two levels."""
    column, offset = program.leaf_place[j], program.leaf_offset[j]
    state = rows.table_state[column]
    if state == UNOBSERVED:
        return
    n_levels = rows.n_levels[column]
    probability = program.table[offset : offset + n_levels + 1]
    code = rows.codes[column]
    if state != WEIGHTED:
        for r in range(target.size):
            target[r] *= probability[code[r]]
        return
    for r in range(target.size):
        if code[r] == WEIGHTED_CODE:
            start = rows.level_start[column] + r * n_levels
            total = 0.0
            for k in range(n_levels):
                total += rows.level_factors[start + k] * probability[k]
            target[r] *= total
        else:
            target[r] *= probability[code[r]]


@kernel
def _tile(tiles, place, values, to):
    """Multiply a leaf that its family has computed."""
    target, factor = values.mantissa[to], tiles.mantissa[place]
    for r in range(target.size):
        target[r] *= factor[r]
    if tiles.scaled[place]:
        exponent, more = values.exponent[to], tiles.exponent[place]
        if not values.scaled[to]:
            exponent[:] = 0
            values.scaled[to] = 1
        for r in range(target.size):
            exponent[r] += more[r]


@kernel
def _copy(values, to, a):
    values.mantissa[to, :] = values.mantissa[a]
    values.scaled[to] = values.scaled[a]
    if values.scaled[a]:
        values.exponent[to, :] = values.exponent[a]


@kernel
def _multiply(values, to, a, b):
    target, left, right = values.mantissa[to], values.mantissa[a], values.mantissa[b]
    for r in range(target.size):
        target[r] = left[r] * right[r]
    if values.scaled[a] and values.scaled[b]:
        for r in range(target.size):
            values.exponent[to, r] = values.exponent[a, r] + values.exponent[b, r]
    elif values.scaled[a]:
        values.exponent[to, :] = values.exponent[a]
    elif values.scaled[b]:
        values.exponent[to, :] = values.exponent[b]
    values.scaled[to] = values.scaled[a] | values.scaled[b]


@kernel
def _combine(values, to, a, b, weight_a, weight_b, scratch):
    """Write weight_a * a + weight_b * b."""
    tiny = 0.0 < weight_a < _TINY_WEIGHT or 0.0 < weight_b < _TINY_WEIGHT
    if values.scaled[a] or values.scaled[b] or tiny:
        _combine_scaled(values, to, a, b, weight_a, weight_b, scratch)
        return
    target, left, right = values.mantissa[to], values.mantissa[a], values.mantissa[b]
    for r in range(target.size):
        target[r] = weight_a * left[r] + weight_b * right[r]
    values.scaled[to] = 0


@kernel
def _combine_scaled(values, to, a, b, weight_a, weight_b, scratch):
    """The same where a row has an exponent: both sides are brought to the larger one."""
    left, right = values.mantissa[a], values.mantissa[b]
    fraction_a, shift_a = math.frexp(weight_a)
    fraction_b, shift_b = math.frexp(weight_b)
    has_a, has_b = values.scaled[a], values.scaled[b]
    bits_a, bits_b, top = scratch.bits[0], scratch.bits[1], scratch.top
    power_a, power_b = scratch.power[0], scratch.power[1]
    for r in range(left.size):
        low_a = left[r] == 0.0 or fraction_a == 0.0
        low_b = right[r] == 0.0 or fraction_b == 0.0
        exponent_a = _LOWEST if low_a else shift_a + (values.exponent[a, r] if has_a else 0)
        exponent_b = _LOWEST if low_b else shift_b + (values.exponent[b, r] if has_b else 0)
        highest = max(exponent_a, exponent_b)
        bits_a[r] = (max(exponent_a - highest, 1 - _BIAS) + _BIAS) << _MANTISSA_BITS
        bits_b[r] = (max(exponent_b - highest, 1 - _BIAS) + _BIAS) << _MANTISSA_BITS
        top[r] = highest if highest > _LOWEST else 0
    target, exponent = values.mantissa[to], values.exponent[to]
    for r in range(left.size):
        target[r] = fraction_a * left[r] * power_a[r] + fraction_b * right[r] * power_b[r]
        exponent[r] = top[r]
    values.scaled[to] = 1


@kernel
def _scale(values, to, a, weight):
    _copy(values, to, a)
    target = values.mantissa[to]
    for r in range(target.size):
        target[r] *= weight


@kernel
def _check(values, slot):
    """Renormalise a slot if any of its rows has left the safe range."""
    bits = values.bits[slot]
    outside = 0
    for r in range(bits.size):
        magnitude = bits[r] & _MAGNITUDE_MASK
        exponent = magnitude >> _MANTISSA_BITS
        far = exponent < _BIAS - SAFE or exponent > _BIAS + SAFE
        outside |= np.int64(far and magnitude != 0)
    if outside == 0:
        return
    exponents = values.exponent[slot]
    if not values.scaled[slot]:
        exponents[:] = 0
        values.scaled[slot] = 1
    for r in range(bits.size):
        magnitude = bits[r] & _MAGNITUDE_MASK
        exponents[r] += (magnitude >> _MANTISSA_BITS) - _BIAS if magnitude != 0 else 0
        bits[r] = (bits[r] & ~_EXPONENT_MASK) | _ONE_BITS if magnitude != 0 else bits[r]
