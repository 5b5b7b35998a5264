"""Run a program on a block of rows, in scaled linear arithmetic.

Values are plain float64 while they can be: products multiply, sums multiply and add. Only where
a check finds a row outside the safe range does a slot get binary exponents, one a row.
"""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats
from softlearn.kernels.compile import kernel
from softlearn.kernels.evidence import load_rows
from softlearn.kernels.program import (
    BINARY,
    COMBINE,
    LEAVES_SET,
    MULTIPLY,
    OBSERVED,
    SAFE,
    SCALE,
    SMALLEST_WEIGHT,
    TABLE,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
    Batch,
    Block,
    Program,
    Rows,
    Scratch,
    Tiles,
    Values,
)

_BIAS = 1023  # of the exponent in a float64
_MANTISSA_BITS = 52
_EXPONENT_MASK = 0x7FF << _MANTISSA_BITS
_MAGNITUDE_MASK = (1 << 63) - 1
_ONE_BITS = _BIAS << _MANTISSA_BITS
_LN2 = math.log(2.0)


@kernel
def advance(
    program: Program,
    first: int,
    last: int,
    batch: Batch,
    from_row: int,
    to_row: int,
    block: Block,
    root: int,
    out: Floats,
) -> None:
    """Execute instructions first:last on rows from_row:to_row, a block at a time.

    Instruction 0 begins with reading the block's evidence; the log of slot `root` is written to
    `out` unless it is -1. The last block may begin before the previous one ends, so that every
    block is full; rows that are computed twice get the same value twice.
    """
    rows, tiles, values = block.rows, block.tiles, block.values
    op, to, a, b = program.op, program.to, program.a, program.b
    source, n_rows = program.leaf_source, values.mantissa.shape[1]
    at = from_row
    while at < to_row:
        start = max(min(at, to_row - n_rows), from_row)
        if first == 0:
            load_rows(batch, start, rows)
        for i in range(first, last):
            if op[i] == COMBINE:
                weight_a, weight_b = program.weight_a[i], program.weight_b[i]
                _combine(values, to[i], a[i], b[i], weight_a, weight_b, block.scratch)
            elif op[i] == MULTIPLY:
                _multiply(values, to[i], a[i], b[i])
            else:
                scale = program.weight_a[i] if op[i] == SCALE else 1.0
                _begin(values, to[i], a[i], scale, op[i] == LEAVES_SET)
            target = values.mantissa[to[i]]
            j, end = program.leaf_from[i], program.leaf_to[i]
            while j < end:
                if source[j] == BINARY:
                    j += _binary(program, j, end, rows, target)
                elif source[j] == TABLE:
                    j += _table(program, j, rows, target)
                else:
                    j += _tile(tiles, program.leaf_place[j], values, to[i])
            if program.check[i]:
                _check(values, to[i])
        if root >= 0:
            _log(values, root, out, start)
        at = start + n_rows


@kernel
def _log(values: Values, slot: int, out: Floats, start: int) -> None:
    """Write the logarithm of a slot; zero gives -inf."""
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled[slot]
    for r in range(mantissa.shape[1]):
        power = exponent[slot, r] * _LN2 if scaled else 0.0
        out[start + r] = math.log(mantissa[slot, r]) + power


@kernel
def _binary(program: Program, j: int, end: int, rows: Rows, target: Floats) -> int:
    """Multiply one binary leaf, or two when both columns are observed; return how many."""
    places, offsets, table = program.leaf_place, program.leaf_offset, program.table
    factors, states = rows.factors, rows.binary_state
    place = places[j]
    p0, p1 = table[offsets[j]], table[offsets[j] + 1]
    if states[place] == UNOBSERVED:
        return 1
    if states[place] != OBSERVED:
        x0, x1 = factors[0, place], factors[1, place]
        for r in range(target.size):
            target[r] *= p0 * x0[r] + p1 * x1[r]
        return 1
    # The larger probability is reached by adding a difference, so nothing cancels.
    x, low, step = factors[1 if p1 >= p0 else 0, place], min(p0, p1), abs(p1 - p0)
    if j + 1 < end and program.leaf_source[j + 1] == BINARY and states[places[j + 1]] == OBSERVED:
        q0, q1 = table[offsets[j + 1]], table[offsets[j + 1] + 1]
        y, low2, step2 = factors[1 if q1 >= q0 else 0, places[j + 1]], min(q0, q1), abs(q1 - q0)
        for r in range(target.size):
            target[r] *= (low + x[r] * step) * (low2 + y[r] * step2)
        return 2
    for r in range(target.size):
        target[r] *= low + x[r] * step
    return 1


@kernel
def _table(program: Program, j: int, rows: Rows, target: Floats) -> int:
    """Multiply a leaf with more than two levels."""
    place = program.leaf_place[j]
    state, n_levels, code = rows.table_state[place], rows.n_levels[place], rows.codes[place]
    probability = program.table[program.leaf_offset[j] :]
    if state == UNOBSERVED:
        return 1
    if state != WEIGHTED:
        for r in range(target.size):
            target[r] *= probability[code[r]]
        return 1
    start, factors = rows.level_start[place], rows.level_factors
    for r in range(target.size):
        if code[r] != WEIGHTED_CODE:
            target[r] *= probability[code[r]]
            continue
        total = 0.0
        for k in range(n_levels):
            total += factors[start + r * n_levels + k] * probability[k]
        target[r] *= total
    return 1


@kernel
def _tile(tiles: Tiles, place: int, values: Values, to: int) -> int:
    """Multiply a leaf that its family has computed."""
    target, factor = values.mantissa[to], tiles.mantissa[place]
    for r in range(target.size):
        target[r] *= factor[r]
    if tiles.scaled[place]:
        _need_exponents(values, to)
        exponent, more = values.exponent, tiles.exponent
        for r in range(target.size):
            exponent[to, r] += more[place, r]
    return 1


@kernel
def _begin(values: Values, to: int, a: int, scale: float, fresh: bool) -> None:
    """Start a slot from one, or from a multiple of another slot or of itself."""
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled
    if fresh:
        for r in range(mantissa.shape[1]):
            mantissa[to, r] = 1.0
        scaled[to] = 0
    elif to != a or scale != 1.0:
        for r in range(mantissa.shape[1]):
            mantissa[to, r] = scale * mantissa[a, r]
        scaled[to] = scaled[a]
        if scaled[a]:
            for r in range(mantissa.shape[1]):
                exponent[to, r] = exponent[a, r]


@kernel
def _need_exponents(values: Values, slot: int) -> None:
    """Give a slot exponents, of zero, unless it has them."""
    if values.scaled[slot] == 0:
        values.scaled[slot] = 1
        exponent = values.exponent
        for r in range(exponent.shape[1]):
            exponent[slot, r] = 0.0


@kernel
def _multiply(values: Values, to: int, a: int, b: int) -> None:
    target, left, right = values.mantissa[to], values.mantissa[a], values.mantissa[b]
    for r in range(target.size):
        target[r] = left[r] * right[r]
    has_a, has_b, exponent = values.scaled[a], values.scaled[b], values.exponent
    if has_a or has_b:
        for r in range(target.size):
            exponent_a = exponent[a, r] if has_a else 0.0
            exponent_b = exponent[b, r] if has_b else 0.0
            exponent[to, r] = exponent_a + exponent_b
    values.scaled[to] = has_a | has_b


@kernel
def _combine(
    values: Values, to: int, a: int, b: int, weight_a: float, weight_b: float, scratch: Scratch
) -> None:
    """Write weight_a * a + weight_b * b."""
    tiny = 0.0 < weight_a < SMALLEST_WEIGHT or 0.0 < weight_b < SMALLEST_WEIGHT
    if values.scaled[a] or values.scaled[b] or tiny:
        _combine_scaled(values, to, a, b, weight_a, weight_b, scratch)
        return
    target, left, right = values.mantissa[to], values.mantissa[a], values.mantissa[b]
    for r in range(target.size):
        target[r] = weight_a * left[r] + weight_b * right[r]
    values.scaled[to] = 0


@kernel
def _combine_scaled(
    values: Values, to: int, a: int, b: int, weight_a: float, weight_b: float, scratch: Scratch
) -> None:
    """Do the same where a row has an exponent: measure both sides by the larger one.

    Mantissas count too: a plain value of 2**-1000 is larger than 2**-5000 however that is split.
    """
    left, right = values.mantissa[a], values.mantissa[b]
    left_bits, right_bits = values.bits[a], values.bits[b]
    fraction_a, shift_a = math.frexp(weight_a)
    fraction_b, shift_b = math.frexp(weight_b)
    has_a, has_b, exponents = values.scaled[a], values.scaled[b], values.exponent
    bits_a, bits_b, top = scratch.bits[0], scratch.bits[1], scratch.top
    power_a, power_b = scratch.power[0], scratch.power[1]
    for r in range(left.size):
        exponent_a = shift_a + (exponents[a, r] if has_a else 0.0)
        exponent_b = shift_b + (exponents[b, r] if has_b else 0.0)
        zero_a = left[r] == 0.0 or fraction_a == 0.0
        zero_b = right[r] == 0.0 or fraction_b == 0.0
        size_a = -np.inf if zero_a else exponent_a + _size(left_bits[r])
        size_b = -np.inf if zero_b else exponent_b + _size(right_bits[r])
        highest = max(size_a, size_b)
        highest = 0.0 if highest == -np.inf else highest
        bits_a[r] = _power_bits(exponent_a - highest)
        bits_b[r] = _power_bits(exponent_b - highest)
        top[r] = highest
    target, exponent = values.mantissa[to], exponents[to]
    for r in range(left.size):
        target[r] = fraction_a * left[r] * power_a[r] + fraction_b * right[r] * power_b[r]
        exponent[r] = top[r]
    values.scaled[to] = 1


@kernel
def _size(bits: int) -> int:
    """Return the exponent inside a float64, from its bits."""
    return ((bits & _MAGNITUDE_MASK) >> _MANTISSA_BITS) - _BIAS


@kernel
def _power_bits(exponent: float) -> int:
    """Return the bits of 2**exponent, as near as a normal float64 comes to it."""
    return (int(max(min(exponent, _BIAS), 1 - _BIAS)) + _BIAS) << _MANTISSA_BITS


@kernel
def _check(values: Values, slot: int) -> None:
    """Renormalise a slot if any of its rows has left the safe range."""
    bits = values.bits[slot]
    outside = np.int64(0)
    for r in range(bits.size):
        magnitude = bits[r] & _MAGNITUDE_MASK
        exponent = magnitude >> _MANTISSA_BITS
        far = exponent < _BIAS - SAFE or exponent > _BIAS + SAFE
        outside |= np.int64(far and magnitude != 0)
    if outside == 0:
        return
    _need_exponents(values, slot)
    exponents = values.exponent[slot]
    for r in range(bits.size):
        magnitude = bits[r] & _MAGNITUDE_MASK
        exponents[r] += (magnitude >> _MANTISSA_BITS) - _BIAS if magnitude != 0 else 0.0
        bits[r] = (bits[r] & ~_EXPONENT_MASK) | _ONE_BITS if magnitude != 0 else bits[r]
