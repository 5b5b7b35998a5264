"""Run a program on a block of rows, in scaled linear arithmetic.

Values are plain float64 where possible: products multiply, sums multiply and add. A slot gets
binary exponents, one per row, only if a check finds a row outside the safe range.
"""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, Kinds, Offsets
from softlearn.kernels.circuit.by_address import run_add_dense
from softlearn.kernels.circuit.evidence import load_rows
from softlearn.kernels.circuit.exponential import multiply_exp
from softlearn.kernels.circuit.program import (
    BINARY,
    COMBINE,
    DENSE,
    LEAVES_SET,
    MULTIPLY,
    OBSERVED,
    PARABOLA,
    PARTLY,
    SCALE,
    SMALLEST_WEIGHT,
    TILE,
    UNOBSERVED,
    WEIGHTED,
    WEIGHTED_CODE,
    Batch,
    Block,
    Program,
)
from softlearn.kernels.circuit.scaled import check_slots, combine_scaled
from softlearn.kernels.compile import in_order, inner, kernel

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
    block is full; rows that are computed twice get the same value.
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
                    combine_scaled(values, to, a, b, (weight_a[i], weight_b[i]), block.scratch)
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
                both = (to, a, 1 if check[i] else 0)
                shape, weight = program.dense[b], program.weight
                run_add_dense(program.add_dense, shape, weight, both, values, block.scratch)
                continue
            elif op[i] == SCALE or to != a:
                _copy(m, exponent, scaled, to, a, weight_a[i] if op[i] == SCALE else 1.0)
            j, end = leaf_from[i], leaf_to[i]
            while j < end:
                if leaf_check[j]:
                    check_slots(values, to, 1)
                place = places[j]
                n_together = _together(source, state, places, leaf_check, j, end)
                if source[j] == PARABOLA:
                    for r in range(n_rows):
                        top[r] = 0.0
                    while j < end and source[j] == PARABOLA:
                        _parabola(top, numbers, places[j], start, table, offsets[j])
                        j += 1
                    multiply_exp(m, exponent, scaled, to, top)
                    continue
                if source[j] == TILE:
                    _tile(m, to, tiles.mantissa, place)
                    _tile_exponents(exponent, scaled, to, tiles.exponent, tiles.scaled, place)
                elif n_together >= 2:
                    _binary(m, to, codes, places, offsets, table, state, (j, n_together))
                    j += n_together - 1
                else:
                    levels = (offsets[j], level_start[place], n_levels[place])
                    _coded(m, to, codes, place, state[place], table, factors, levels)
                j += 1
            if check[i]:
                check_slots(values, to, 1)
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
def _together(source: Kinds, state: Kinds, places: Ids, leaf_check: Kinds, j: int, end: int) -> int:
    """Return how many binary leaves, from j on, are multiplied together.

    A multiple of four if they are observed in all rows, else two observed in some rows, or none.
    """
    stop, n_known = j, 0
    while stop < end and source[stop] == BINARY and not (leaf_check[stop] and stop > j):
        if state[places[stop]] > PARTLY:  # OBSERVED and PARTLY come first
            break
        n_known += state[places[stop]] == OBSERVED and n_known == stop - j
        stop += 1
        if stop - j >= 2 and n_known < stop - j:
            break
    fours = n_known - n_known % 4
    return fours if fours > 0 else min(stop - j, 2)


@in_order
def _binary(
    m: Floats,
    to: int,
    codes: Kinds,
    places: Ids,
    offsets: Offsets,
    table: Floats,
    state: Kinds,
    which: tuple[int, int],
) -> None:
    """Multiply two leaves in one pass, or fours: the slot is read and written less often.

    `which` is the first of them and their number. Fours two by two: a value and four leaves
    together might be too small for a float64.
    """
    j, n = which
    if n == 2:
        place, place2 = places[j], places[j + 1]
        everywhere = state[place] == OBSERVED and state[place2] == OBSERVED
        two = (place, place2, offsets[j], offsets[j + 1])
        _two_binary(m, to, codes, two, table, everywhere)
        return
    for i in range(j, j + n, 4):
        a, b, c, d = places[i], places[i + 1], places[i + 2], places[i + 3]
        p0, p1 = table[offsets[i]], table[offsets[i] + 1]
        q0, q1 = table[offsets[i + 1]], table[offsets[i + 1] + 1]
        s0, s1 = table[offsets[i + 2]], table[offsets[i + 2] + 1]
        t0, t1 = table[offsets[i + 3]], table[offsets[i + 3] + 1]
        for r in range(m.shape[1]):
            p = p1 if codes[a, r] != 0 else p0
            q = q1 if codes[b, r] != 0 else q0
            s = s1 if codes[c, r] != 0 else s0
            t = t1 if codes[d, r] != 0 else t0
            m[to, r] = (m[to, r] * (p * q)) * (s * t)


@inner
def _copy(m: Floats, exponent: Floats, scaled: Kinds, to: int, a: int, scale: float) -> None:
    """Write a multiple of another slot, or of the same."""
    scaled[to] = scaled[a]
    for r in range(m.shape[1]):
        m[to, r] = scale * m[a, r]
    if scaled[a]:
        for r in range(m.shape[1]):
            exponent[to, r] = exponent[a, r]


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
    elif n_levels > 4:
        for r in range(m.shape[1]):
            m[to, r] *= table[offset + codes[place, r]]
    elif n_levels > 2:  # selecting by bits is faster than a lookup
        p0, p1, p2, p3 = table[offset], table[offset + 1], table[offset + 2], table[offset + 3]
        for r in range(m.shape[1]):
            even = p2 if codes[place, r] & 2 else p0
            odd = p3 if codes[place, r] & 2 else p1
            p = odd if codes[place, r] & 1 else even
            factor = 1.0 if codes[place, r] & 4 else p
            m[to, r] *= factor
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
    two: tuple[int, int, int, int],
    table: Floats,
    everywhere: bool,
) -> None:
    """Multiply two leaves in one pass: the slot is read and written half as often.

    `two` are their rows of the codes and their places in the table; `everywhere` says that all
    rows observe both.
    """
    place, place2, offset, offset2 = two
    p0, p1, q0, q1 = table[offset], table[offset + 1], table[offset2], table[offset2 + 1]
    if everywhere:
        for r in range(m.shape[1]):
            p = p1 if codes[place, r] != 0 else p0
            q = q1 if codes[place2, r] != 0 else q0
            m[to, r] *= p * q
        return
    for r in range(m.shape[1]):
        p = p1 if codes[place, r] & 1 else p0
        p = 1.0 if codes[place, r] & 2 else p  # 2 is the code of "unobserved"
        q = q1 if codes[place2, r] & 1 else q0
        q = 1.0 if codes[place2, r] & 2 else q
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
def _parabola(
    top: Floats, values: Floats, column: int, start: int, table: Floats, offset: int
) -> None:
    """Add a leaf's log-density; unobserved numbers add nothing."""
    peak, centre, sharpness = table[offset], table[offset + 1], table[offset + 2]
    first = np.uint64(start)
    for r in range(np.uint64(top.size)):
        x = values[column, first + r]
        gap = x - centre
        before = top[r]
        after = before + (peak - sharpness * gap * gap)
        top[r] = after if x == x else before


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
