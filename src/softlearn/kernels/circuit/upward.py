"""Run a program on a block of rows, in scaled linear arithmetic.

Values are plain float64 while they can be: products multiply, sums multiply and add. Only where
a check finds a row outside the safe range does a slot get binary exponents, one per row.
"""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds
from softlearn.kernels.circuit.dense import add_dense
from softlearn.kernels.circuit.evidence import load_rows
from softlearn.kernels.circuit.program import (
    BINARY,
    COMBINE,
    DENSE,
    LEAVES_SET,
    MULTIPLY,
    OBSERVED,
    PARABOLA,
    SCALE,
    SMALLEST_WEIGHT,
    TILE,
    TILE_RANGE,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
    Batch,
    Block,
    Program,
)
from softlearn.kernels.circuit.scaled import check_slot, combine_scaled, copy_slot
from softlearn.kernels.compile import inner, kernel

_LN2 = math.log(2.0)

# The loops that every row goes through take whole arrays and index them: a view of a row, or an
# array read from a tuple, counts references, which costs as much as the arithmetic of a block.


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
    op, to_slot, a_slot, b_slot, check = program.op, program.to, program.a, program.b, program.check
    weight_a, weight_b = program.weight_a, program.weight_b
    leaf_from, leaf_to, source = program.leaf_from, program.leaf_to, program.leaf_source
    places, offsets, table = program.leaf_place, program.leaf_offset, program.table
    leaf_check = program.leaf_check
    values, rows, tiles = block.values, block.rows, block.tiles
    m, exponent, scaled = values.mantissa, values.exponent, values.scaled
    codes, state, level_start = rows.codes, rows.state, rows.level_start
    numbers, factors, n_levels = batch.values, batch.set_factors, batch.n_levels
    top, n_rows = block.scratch.top, m.shape[1]
    at = from_row
    while at < to_row:
        start = max(min(at, to_row - n_rows), from_row)
        if first == 0:
            load_rows(batch, start, rows)
        for i in range(first, last):
            to, a, b = to_slot[i], a_slot[i], b_slot[i]
            if op[i] == COMBINE:
                tiny = 0.0 < weight_a[i] < SMALLEST_WEIGHT or 0.0 < weight_b[i] < SMALLEST_WEIGHT
                if scaled[a] or scaled[b] or tiny:
                    weights = (weight_a[i], weight_b[i])
                    combine_scaled(values, to, a, b, weights, block.scratch)
                else:
                    _combine(m, to, a, b, weight_a[i], weight_b[i])
                    scaled[to] = 0
            elif op[i] == MULTIPLY:
                _multiply(m, to, a, b)
                _add_exponents(exponent, scaled, to, a, b)
            elif op[i] == LEAVES_SET:
                for r in range(n_rows):
                    m[to, r] = 1.0
                scaled[to] = 0
            elif op[i] == DENSE:
                add_dense(program.dense[b], program.weight, to, a, block, bool(check[i]))
                continue
            elif op[i] == SCALE or to != a:
                copy_slot(values, to, a, weight_a[i] if op[i] == SCALE else 1.0)
            j, end = leaf_from[i], leaf_to[i]
            while j < end:
                if leaf_check[j]:
                    check_slot(values, to)
                place = places[j]
                if source[j] == PARABOLA:
                    _clear(top)
                    while j < end and source[j] == PARABOLA:
                        _parabola(top, numbers, places[j], start, table, offsets[j])
                        j += 1
                    _multiply_exp(m, exponent, scaled, to, top)
                    continue
                if source[j] == TILE:
                    _tile(m, to, tiles.mantissa, place)
                    _tile_exponents(exponent, scaled, to, tiles.exponent, tiles.scaled, place)
                elif _pairs(source, state, places, leaf_check, j, end):
                    j += 1
                    _two_binary(m, to, codes, place, places[j], table, offsets[j - 1], offsets[j])
                else:
                    levels = (offsets[j], level_start[place], n_levels[place])
                    _coded(m, to, codes, place, state[place], table, factors, levels)
                j += 1
            if check[i]:
                check_slot(values, to)
        if root >= 0:
            for r in range(n_rows):
                power = exponent[root, r] * _LN2 if scaled[root] else 0.0
                # Uncompiled, the logarithm of zero is an error.
                out[start + r] = (math.log(m[root, r]) if m[root, r] != 0.0 else -np.inf) + power
        at = start + n_rows


@inner
def _combine(m: Floats, to: int, a: int, b: int, weight_a: float, weight_b: float) -> None:
    """Write weight_a * a + weight_b * b; in place is a loop of its own, for the vectoriser."""
    if to == b:
        a, b, weight_a, weight_b = b, a, weight_b, weight_a
    if to == a:
        for r in range(m.shape[1]):
            m[to, r] = weight_a * m[to, r] + weight_b * m[b, r]
    else:
        for r in range(m.shape[1]):
            m[to, r] = weight_a * m[a, r] + weight_b * m[b, r]


@inner
def _multiply(m: Floats, to: int, a: int, b: int) -> None:
    if to == b:
        a, b = b, a
    if to == a:
        for r in range(m.shape[1]):
            m[to, r] *= m[b, r]
    else:
        for r in range(m.shape[1]):
            m[to, r] = m[a, r] * m[b, r]


@inner
def _add_exponents(exponent: Floats, scaled: Kinds, to: int, a: int, b: int) -> None:
    has_a, has_b = scaled[a], scaled[b]
    scaled[to] = has_a | has_b
    if has_a or has_b:
        for r in range(exponent.shape[1]):
            exponent_a = exponent[a, r] if has_a else 0.0
            exponent_b = exponent[b, r] if has_b else 0.0
            exponent[to, r] = exponent_a + exponent_b


@inner
def _pairs(source: Kinds, state: Kinds, places: Ids, leaf_check: Kinds, j: int, end: int) -> bool:
    """Return whether leaf j and the next are binary, observed in every row, and go together."""
    if j + 1 >= end or source[j] != BINARY or source[j + 1] != BINARY or leaf_check[j + 1]:
        return False
    return bool(state[places[j]] == OBSERVED and state[places[j + 1]] == OBSERVED)


@inner
def _coded(
    m: Floats,
    to: int,
    codes: Kinds,
    place: int,
    state: int,
    table: Floats,
    factors: Floats,
    levels: tuple[int, int, int],
) -> None:
    """Multiply a discrete leaf; `levels` is its place in the table, its factors' and its number."""
    offset, _, n_levels = levels
    if state == UNOBSERVED:
        return
    if state == WEIGHTED:
        _weighted(m, to, codes, place, table, factors, levels)
    elif n_levels != 2:
        for r in range(m.shape[1]):
            m[to, r] *= table[offset + codes[place, r]]
    else:
        p0, p1 = table[offset], table[offset + 1]
        for r in range(m.shape[1]):
            p = p1 if codes[place, r] & 1 else p0
            factor = 1.0 if codes[place, r] & 2 else p  # 2 is the code of "unobserved"
            m[to, r] *= factor


@inner
def _two_binary(
    m: Floats,
    to: int,
    codes: Kinds,
    place: int,
    place2: int,
    table: Floats,
    offset: int,
    offset2: int,
) -> None:
    """Multiply two leaves in one pass: the slot is read and written half as often."""
    p0, p1, q0, q1 = table[offset], table[offset + 1], table[offset2], table[offset2 + 1]
    for r in range(m.shape[1]):
        p = p1 if codes[place, r] != 0 else p0
        q = q1 if codes[place2, r] != 0 else q0
        m[to, r] *= p * q


@inner
def _weighted(
    m: Floats,
    to: int,
    codes: Kinds,
    place: int,
    table: Floats,
    factors: Floats,
    levels: tuple[int, int, int],
) -> None:
    """Multiply a leaf where some rows have a factor for each level."""
    offset, begin, n_levels = levels
    for r in range(m.shape[1]):
        if codes[place, r] != WEIGHTED_CODE:
            m[to, r] *= table[offset + codes[place, r]]
            continue
        total = 0.0
        for k in range(n_levels):
            total += factors[begin + r * n_levels + k] * table[offset + k]
        m[to, r] *= total


@inner
def _clear(top: Floats) -> None:
    for r in range(top.size):
        top[r] = 0.0


@inner
def _parabola(
    top: Floats, values: Floats, column: int, start: int, table: Floats, offset: int
) -> None:
    """Add a leaf's log-density; a row that does not observe the number adds nothing."""
    peak, centre, sharpness = table[offset], table[offset + 1], table[offset + 2]
    for r in range(top.size):
        x = values[column, start + r]
        gap = x - centre
        log_density = peak - sharpness * gap * gap
        top[r] += log_density if x == x else 0.0


@inner
def _multiply_exp(m: Floats, exponent: Floats, scaled: Kinds, to: int, logs: Floats) -> None:
    """Multiply a slot by exponentials; rows out of range hand their size to the exponents."""
    outside = 0
    for r in range(logs.size):
        outside += abs(logs[r]) > TILE_RANGE * _LN2
    if outside == 0:
        for r in range(logs.size):
            m[to, r] *= math.exp(logs[r])
        return
    fresh = scaled[to] == 0
    scaled[to] = 1
    for r in range(logs.size):
        size = np.floor(logs[r] / _LN2) if logs[r] > -np.inf else 0.0
        # Beyond 2**53 bits the rest is rounding, which must not become a large mantissa.
        rest = min(max(logs[r] - size * _LN2, 0.0), _LN2) if logs[r] > -np.inf else -np.inf
        m[to, r] *= math.exp(rest)
        exponent[to, r] = size + (0.0 if fresh else exponent[to, r])


@inner
def _tile(m: Floats, to: int, tile: Floats, place: int) -> None:
    for r in range(m.shape[1]):
        m[to, r] *= tile[place, r]


@inner
def _tile_exponents(
    exponent: Floats, scaled: Kinds, to: int, more: Floats, is_scaled: Kinds, place: int
) -> None:
    if is_scaled[place]:
        fresh = scaled[to] == 0
        scaled[to] = 1
        for r in range(exponent.shape[1]):
            before = 0.0 if fresh else exponent[to, r]
            exponent[to, r] = before + more[place, r]
