"""Blocks of sums that all have the same children: products of matrices, up and down.

The weights of a block lie behind each other, a row for each sum, and so do the slots of its sums
and of its children. Loops run over rows of the table innermost, so that a row has the same value
wherever it stands in a block of rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.circuit.program import Block, Graph, Values
from softlearn.kernels.circuit.scaled import (
    check_slot,
    combine_scaled,
    power_of_two,
    size_of,
    times_power,
)
from softlearn.kernels.compile import inner

_FIRST = cast("int", np.int64(0))  # a plain 0 would be a type of its own
_TILE = 64  # rows at a time: sixty-four children of them fill a first-level cache
# A place that is unsigned is never counted from the end, and loops over it become vectors.
_ROWS = np.uint64(_TILE)
_TWO, _THREE = np.uint64(2 * _TILE), np.uint64(3 * _TILE)
# Children of one row that differ by more than this many bits are added one by one, each with its
# own exponent: a sum may be of the small ones alone.
_NEAR = 300.0
_FURTHEST = 900.0


@inner
def add_dense(shape: Offsets, weight: Floats, to: int, a: int, block: Block, checked: bool) -> None:
    """Write the sums of a block: slots from `to` on are weighted sums of those from `a` on."""
    first, n_sums, n_children, tiny = shape[0], shape[1], shape[2], shape[3]
    values = block.values
    m, exponent, scaled, n_rows = (
        values.mantissa,
        values.exponent,
        values.scaled,
        block.scratch.top.size,
    )
    if _any_scaled(values, a, n_children) or tiny:
        near = np.empty((n_children, n_rows))
        if not tiny and _brought_near(values, a, near, block.scratch.top):
            _times(weight, first, near, _FIRST, m, to, n_sums, n_children)
            for k in range(n_sums):
                scaled[to + k] = 1
                for r in range(n_rows):
                    exponent[to + k, r] = block.scratch.top[r]
        else:
            for k in range(n_sums):
                at = first + k * n_children
                combine_scaled(values, to + k, a, a, (weight[at], 0.0), block.scratch)
                for c in range(1, n_children):
                    weights = (1.0, weight[at + c])
                    combine_scaled(values, to + k, to + k, a + c, weights, block.scratch)
    else:
        _times(weight, first, m, a, m, to, n_sums, n_children)
        for k in range(n_sums):
            scaled[to + k] = 0
    if checked:
        for k in range(n_sums):
            check_slot(values, to + k)


@inner
def _any_scaled(values: Values, first: int, n: int) -> bool:
    n_scaled = 0
    for slot in range(first, first + n):
        n_scaled += values.scaled[slot]
    return n_scaled > 0


@inner
def _brought_near(values: Values, first: int, near: Floats, top: Floats) -> bool:
    """Write some slots by a common exponent for each row, `top`, unless they are too far apart."""
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


@inner
def _times(
    weight: Floats, first: int, x: Floats, a: int, out: Floats, to: int, n_sums: int, n: int
) -> None:
    """Write a matrix of weights, (sums, n), times rows a:a + n of x to rows from `to` on."""
    n_rows = out.shape[1]
    tile, found = np.empty(n * _TILE), np.empty(n_sums * _TILE)
    for start in range(0, n_rows, _TILE):
        _pack(x, a, n, start, tile)
        _tile_times(weight, first, n, 1, tile, n, found, n_sums)
        for k in range(n_sums):
            for r in range(min(_TILE, n_rows - start)):
                out[to + k, start + r] = found[k * _TILE + r]


@inner
def _pack(x: Floats, a: int, n: int, start: int, tile: Floats) -> None:
    """Write some columns of rows a:a + n behind each other, zeros where there are none left."""
    width = min(_TILE, x.shape[1] - start)
    for c in range(n):
        for r in range(width):
            tile[c * _TILE + r] = x[a + c, start + r]
        for r in range(width, _TILE):
            tile[c * _TILE + r] = 0.0


@inner
def _tile_times(
    weight: Floats,
    first: int,
    row_step: int,
    step: int,
    tile: Floats,
    n: int,
    out: Floats,
    n_out: int,
) -> None:
    """Write a matrix of weights, (n_out, n), times a tile, (n, _TILE), four by four.

    Rows of a tile lie a fixed number of places apart, so that compilers see that they differ.
    """
    for i in range(n_out * _TILE):
        out[i] = 0.0
    i = 0
    while i < n_out:
        rows = min(4, n_out - i)
        j = 0
        while j < n:
            if rows == 4 and j + 4 <= n:
                at = first + i * row_step + j * step
                places = (np.uint64(j * _TILE), np.uint64(i * _TILE))
                _four_by_four(weight, at, row_step, step, tile, out, places)
                j += 4
                continue
            for k in range(i, i + rows):
                w = weight[first + k * row_step + j * step]
                x, y = np.uint64(j * _TILE), np.uint64(k * _TILE)
                for r in range(_ROWS):
                    out[y + r] += w * tile[x + r]
            j += 1
        i += rows


@inner
def _four_by_four(
    weight: Floats,
    at: int,
    row_step: int,
    step: int,
    tile: Floats,
    out: Floats,
    places: tuple[np.uint64, np.uint64],
) -> None:
    """Add four weighted rows of a tile to four rows; `places` is where both begin."""
    x, y = places
    b, c, d = at + row_step, at + 2 * row_step, at + 3 * row_step
    a0, a1, a2, a3 = weight[at], weight[at + step], weight[at + 2 * step], weight[at + 3 * step]
    b0, b1, b2, b3 = weight[b], weight[b + step], weight[b + 2 * step], weight[b + 3 * step]
    c0, c1, c2, c3 = weight[c], weight[c + step], weight[c + 2 * step], weight[c + 3 * step]
    d0, d1, d2, d3 = weight[d], weight[d + step], weight[d + 2 * step], weight[d + 3 * step]
    for r in range(_ROWS):
        x0, x1, x2, x3 = tile[x + r], tile[x + _ROWS + r], tile[x + _TWO + r], tile[x + _THREE + r]
        out[y + r] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
        out[y + _ROWS + r] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
        out[y + _TWO + r] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
        out[y + _THREE + r] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3


@inner
def spread_dense(graph: Graph, last: int, values: Values, top: Floats, edge: Floats) -> bool:
    """Hand the flow of a block's sums on to its children, or return False and do nothing.

    `last` is the last sum of the block, `top` scratch, (rows,); slots of the sums hold shares. It
    is not done where values are too far apart for one common exponent in each row.
    """
    shape, m = graph.dense[graph.dense_block[last]], values.mantissa
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    if shape[3]:
        return False
    sums, child = graph.slot_of[last - n_sums + 1], graph.child[first]
    a, to = graph.slot_of[child], graph.flow_of[child]
    if _any_scaled(values, a, n_children) or _any_scaled(values, sums, n_sums):
        near, share = np.empty((n_children, top.size)), np.empty((n_sums, top.size))
        if not _brought_near(values, a, near, top) or not _shares(values, sums, top, share):
            return False
        _hand_down(graph.weight, shape, share, near, m, (_FIRST, _FIRST, to), edge)
        return True
    _hand_down(graph.weight, shape, m, m, m, (sums, a, to), edge)
    return True


@inner
def _shares(values: Values, sums: int, top: Floats, share: Floats) -> bool:
    """Write the share of each sum, its value measured by `top`, unless it is too large."""
    m, exponent = values.mantissa, values.exponent
    for k in range(share.shape[0]):
        has = values.scaled[sums + k]
        for r in range(share.shape[1]):
            share[k, r] = 0.0
            if m[sums + k, r] != 0.0:
                apart = top[r] - (exponent[sums + k, r] if has else 0.0)
                if abs(apart + size_of(values.bits[sums + k, r])) > _FURTHEST:
                    return False
                share[k, r] = times_power(m[sums + k, r], apart)
    return True


@inner
def _hand_down(
    weight: Floats,
    shape: Offsets,
    share: Floats,
    x: Floats,
    flow: Floats,
    places: tuple[int, int, int],
    edge: Floats,
) -> None:
    """Add to the flow of the children, and to the edges.

    `places` are the first rows of the shares, of the values of the children and of their flow.
    """
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    sums, at, to = places
    n_rows = share.shape[1]
    shares, tile = np.empty(n_sums * _TILE), np.empty(n_children * _TILE)
    found = np.empty(n_children * _TILE)
    for start in range(0, n_rows, _TILE):
        _pack(share, sums, n_sums, start, shares)
        _pack(x, at, n_children, start, tile)
        _tile_times(weight, first, 1, n_children, shares, n_sums, found, n_children)
        for c in range(n_children):
            for r in range(min(_TILE, n_rows - start)):
                flow[to + c, start + r] += found[c * _TILE + r] * tile[c * _TILE + r]
        if edge.size:
            _add_edges(weight, shape, shares, tile, edge)


@inner
def _add_edges(weight: Floats, shape: Offsets, shares: Floats, tile: Floats, edge: Floats) -> None:
    """Add what the rows of a tile send through each edge."""
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    for k in range(n_sums):
        e, s, c = first + k * n_children, np.uint64(k * _TILE), 0
        while c + 4 <= n_children:
            x, p0, p1, p2, p3 = np.uint64(c * _TILE), 0.0, 0.0, 0.0, 0.0
            for r in range(_ROWS):
                p0 += shares[s + r] * tile[x + r]
                p1 += shares[s + r] * tile[x + _ROWS + r]
                p2 += shares[s + r] * tile[x + _TWO + r]
                p3 += shares[s + r] * tile[x + _THREE + r]
            edge[e + c] += weight[e + c] * p0
            edge[e + c + 1] += weight[e + c + 1] * p1
            edge[e + c + 2] += weight[e + c + 2] * p2
            edge[e + c + 3] += weight[e + c + 3] * p3
            c += 4
        while c < n_children:
            x, p0 = np.uint64(c * _TILE), 0.0
            for r in range(_ROWS):
                p0 += shares[s + r] * tile[x + r]
            edge[e + c] += weight[e + c] * p0
            c += 1
