"""Blocks of sums that all have the same children: products of matrices, from the leaves up.

The weights of a block are contiguous, a row for each sum, and so are the slots of its sums and of
its children. The innermost loops run over rows of the table, so that the result of a row does not
depend on its position in a block of rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.circuit.program import Scratch, Values
from softlearn.kernels.circuit.scaled import (
    check_slots,
    combine_scaled,
    power_of_two,
    size_of,
)
from softlearn.kernels.compile import allocating_inner, inner

FIRST = cast("int", np.int64(0))  # a plain 0 would be a type of its own
TILE = 64  # rows at a time: sixty-four children of them fill a first-level cache
# Unsigned indices are never counted from the end, so that loops over them are vectorised.
_ROWS = np.uint64(TILE)
_TWO, _THREE = np.uint64(2 * TILE), np.uint64(3 * TILE)
# If the children of a row differ by more than this many bits, they are added one by one, each with
# its own exponent: a sum may have only small ones.
_NEAR = 300.0


def add_dense(
    shape: Offsets,
    weight: Floats,
    places: tuple[int, int, int],
    values: Values,
    scratch: Scratch,
) -> int:
    """Write the sums of a block: slots from `to` on are weighted sums of those from `a` on.

    `places` are `to`, `a`, and 1 if the sums are checked. It returns 0.
    """
    first, n_sums, n_children, tiny = shape[0], shape[1], shape[2], shape[3]
    to, a, is_checked = places
    m, exponent, scaled, n_rows = (
        values.mantissa,
        values.exponent,
        values.scaled,
        scratch.top.size,
    )
    if any_scaled(values, a, n_children) or tiny:
        near = np.empty((n_children, n_rows))
        if not tiny and brought_near(values, a, near, scratch.top):
            _times(weight, first, near, FIRST, m, to, n_sums, n_children)
            for k in range(n_sums):
                scaled[to + k] = 1
                for r in range(n_rows):
                    exponent[to + k, r] = scratch.top[r]
        else:
            for k in range(n_sums):
                at = first + k * n_children
                combine_scaled(values, to + k, a, a, (weight[at], 0.0), scratch)
                for c in range(1, n_children):
                    weights = (1.0, weight[at + c])
                    combine_scaled(values, to + k, to + k, a + c, weights, scratch)
    else:
        _times(weight, first, m, a, m, to, n_sums, n_children)
        for k in range(n_sums):
            scaled[to + k] = 0
    if is_checked:
        check_slots(values, to, n_sums)
    return 0


@inner
def any_scaled(values: Values, first: int, n: int) -> bool:
    """Return whether any of some slots has exponents."""
    n_scaled = 0
    for slot in range(first, first + n):
        n_scaled += values.scaled[slot]
    return n_scaled > 0


@allocating_inner
def brought_near(values: Values, first: int, near: Floats, top: Floats) -> bool:
    """Scale some slots to a common exponent for each row, `top`, unless they differ too much."""
    m, bits, exponent, n_rows = values.mantissa, values.bits, values.exponent, top.size
    lowest = np.empty(n_rows)
    for r in range(n_rows):
        top[r], lowest[r] = -np.inf, np.inf
    for c in range(near.shape[0]):
        has = values.scaled[first + c]
        for r in range(n_rows):
            if m[first + c, r] != 0.0:
                size = size_of(bits[first + c, r]) + (exponent[first + c, r] if has else 0.0)
                top[r], lowest[r] = max(top[r], size), min(lowest[r], size)
    for r in range(n_rows):
        if top[r] == -np.inf:
            top[r] = 0.0
        elif top[r] - lowest[r] > _NEAR:
            return False
    for c in range(near.shape[0]):
        has = values.scaled[first + c]
        for r in range(n_rows):
            power = power_of_two((exponent[first + c, r] if has else 0.0) - top[r])
            near[c, r] = m[first + c, r] * power
    return True


@allocating_inner
def _times(
    weight: Floats, first: int, x: Floats, a: int, out: Floats, to: int, n_sums: int, n: int
) -> None:
    """Write a matrix of weights, (sums, n), times rows a:a + n of x to rows from `to` on."""
    n_rows = out.shape[1]
    tile, found = np.empty(n * TILE), np.empty(n_sums * TILE)
    for start in range(0, n_rows, TILE):
        pack(x, a, n, start, tile)
        tile_times(weight, first, n, 1, tile, n, found, n_sums)
        at, width = np.uint64(start), np.uint64(min(TILE, n_rows - start))
        for k in range(n_sums):
            row = np.uint64(k * TILE)
            for r in range(width):
                out[to + k, at + r] = found[row + r]


@inner
def pack(x: Floats, a: int, n: int, start: int, tile: Floats) -> None:
    """Copy some columns of rows a:a + n to a tile, padded with zeros."""
    at, width = np.uint64(start), np.uint64(min(TILE, x.shape[1] - start))
    for c in range(n):
        row = np.uint64(c * TILE)
        if width < _ROWS:
            for r in range(_ROWS):
                tile[row + r] = 0.0
        for r in range(width):
            tile[row + r] = x[a + c, at + r]


@inner
def tile_times(
    weight: Floats,
    first: int,
    row_step: int,
    step: int,
    tile: Floats,
    n: int,
    out: Floats,
    n_out: int,
) -> None:
    """Write a matrix of weights, (n_out, n), times a tile, (n, TILE), four by four.

    Rows of a tile have a fixed distance, so that compilers see that they do not overlap.
    """
    for i in range(n_out * TILE):
        out[i] = 0.0
    i = 0
    while i < n_out:
        rows, j = min(4, n_out - i), 0
        if rows == 4:
            j = _four_rows(weight, first + i * row_step, row_step, step, tile, n, out, i)
        for k in range(i, i + rows):
            y = np.uint64(k * TILE)
            for c in range(j, n):
                w, x = weight[first + k * row_step + c * step], np.uint64(c * TILE)
                for r in range(_ROWS):
                    out[y + r] += w * tile[x + r]
        i += rows


@inner
def _four_rows(
    weight: Floats,
    first: int,
    row_step: int,
    step: int,
    tile: Floats,
    n: int,
    out: Floats,
    i: int,
) -> int:
    """Add weighted rows of a tile, four at a time, to rows i:i + 4; return their number."""
    y, j = np.uint64(i * TILE), 0
    while j + 4 <= n:
        a, x = first + j * step, np.uint64(j * TILE)
        b, c, d = a + row_step, a + 2 * row_step, a + 3 * row_step
        a0, a1, a2, a3 = weight[a], weight[a + step], weight[a + 2 * step], weight[a + 3 * step]
        b0, b1, b2, b3 = weight[b], weight[b + step], weight[b + 2 * step], weight[b + 3 * step]
        c0, c1, c2, c3 = weight[c], weight[c + step], weight[c + 2 * step], weight[c + 3 * step]
        d0, d1, d2, d3 = weight[d], weight[d + step], weight[d + 2 * step], weight[d + 3 * step]
        for r in range(_ROWS):
            x0, x1 = tile[x + r], tile[x + _ROWS + r]
            x2, x3 = tile[x + _TWO + r], tile[x + _THREE + r]
            out[y + r] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
            out[y + _ROWS + r] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
            out[y + _TWO + r] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
            out[y + _THREE + r] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
        j += 4
    return j
