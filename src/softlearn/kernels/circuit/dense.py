"""Blocks of sums that all have the same children: products of matrices, up and down.

The weights of a block are contiguous, a row for each sum, and so are the slots of its sums and of
its children. The innermost loops run over rows of the table, so that the result of a row does not
depend on its position in a block of rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.circuit.program import Graph, Scratch, Values
from softlearn.kernels.circuit.scaled import (
    check_slots,
    combine_scaled,
    power_of_two,
    size_of,
    times_power,
)
from softlearn.kernels.compile import inner

_FIRST = cast("int", np.int64(0))  # a plain 0 would be a type of its own
_TILE = 64  # rows at a time: sixty-four children of them fill a first-level cache
# Unsigned indices are never counted from the end, so that loops over them are vectorised.
_ROWS = np.uint64(_TILE)
_TWO, _THREE = np.uint64(2 * _TILE), np.uint64(3 * _TILE)
# If the children of a row differ by more than this many bits, they are added one by one, each with
# its own exponent: a sum may have only small ones.
_NEAR = 300.0
_FURTHEST = 900.0


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
    if _any_scaled(values, a, n_children) or tiny:
        near = np.empty((n_children, n_rows))
        if not tiny and _brought_near(values, a, near, scratch.top):
            _times(weight, first, near, _FIRST, m, to, n_sums, n_children)
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
def _any_scaled(values: Values, first: int, n: int) -> bool:
    n_scaled = 0
    for slot in range(first, first + n):
        n_scaled += values.scaled[slot]
    return n_scaled > 0


@inner
def _brought_near(values: Values, first: int, near: Floats, top: Floats) -> bool:
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
        at, width = np.uint64(start), np.uint64(min(_TILE, n_rows - start))
        for k in range(n_sums):
            row = np.uint64(k * _TILE)
            for r in range(width):
                out[to + k, at + r] = found[row + r]


@inner
def _pack(x: Floats, a: int, n: int, start: int, tile: Floats) -> None:
    """Copy some columns of rows a:a + n to a tile, padded with zeros."""
    at, width = np.uint64(start), np.uint64(min(_TILE, x.shape[1] - start))
    for c in range(n):
        row = np.uint64(c * _TILE)
        if width < _ROWS:
            for r in range(_ROWS):
                tile[row + r] = 0.0
        for r in range(width):
            tile[row + r] = x[a + c, at + r]


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

    Rows of a tile have a fixed distance, so that compilers see that they do not overlap.
    """
    for i in range(n_out * _TILE):
        out[i] = 0.0
    i = 0
    while i < n_out:
        rows, j = min(4, n_out - i), 0
        if rows == 4:
            j = _four_rows(weight, first + i * row_step, row_step, step, tile, n, out, i)
        for k in range(i, i + rows):
            y = np.uint64(k * _TILE)
            for c in range(j, n):
                w, x = weight[first + k * row_step + c * step], np.uint64(c * _TILE)
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
    y, j = np.uint64(i * _TILE), 0
    while j + 4 <= n:
        a, x = first + j * step, np.uint64(j * _TILE)
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


@inner
def spread_dense(graph: Graph, last: int, values: Values, top: Floats, edge: Floats) -> bool:
    """Pass the flow of a block's sums to its children; return False if that is not possible.

    `last` is the last sum of the block, `top` is scratch, (rows,); slots of the sums hold shares.
    It is not possible if values differ too much for one common exponent per row.
    """
    shape, m = graph.dense[graph.dense_block[last]], values.mantissa
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    if shape[3]:
        return False
    sums, child = graph.slot_of[last - n_sums + 1], graph.child[first]
    a = graph.slot_of[child]
    if _any_scaled(values, a, n_children) or _any_scaled(values, sums, n_sums):
        near, share = np.empty((n_children, top.size)), np.empty((n_sums, top.size))
        if not _brought_near(values, a, near, top) or not _shares(values, sums, top, share):
            return False
        if edge.size:
            _add_edges(graph.weight, shape, share, _FIRST, near, _FIRST, edge)
        _hand_down(graph, shape, child, share, near, m, (_FIRST, _FIRST, a))
        return True
    if edge.size:
        _add_edges(graph.weight, shape, m, sums, m, a, edge)
    _hand_down(graph, shape, child, m, m, m, (sums, a, a))
    return True


@inner
def _shares(values: Values, sums: int, top: Floats, share: Floats) -> bool:
    """Write the share of each sum relative to `top`, unless it is too large."""
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
    graph: Graph,
    shape: Offsets,
    child: int,
    share: Floats,
    x: Floats,
    m: Floats,
    places: tuple[int, int, int],
) -> None:
    """Write the flow of the children, and for sums the share, over the value unless it is shared.

    `places` are the first rows of the shares, of the values of the children and of their slots;
    `child` is the first child.
    """
    weight, is_sum, flow_of = graph.weight, graph.is_sum, graph.flow_of
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    sums, a, slot = places
    n_rows = share.shape[1]
    tile, found = np.empty(n_sums * _TILE), np.empty(n_children * _TILE)
    for start in range(0, n_rows, _TILE):
        _pack(share, sums, n_sums, start, tile)
        _tile_times(weight, first, 1, n_children, tile, n_sums, found, n_children)
        at, width = np.uint64(start), np.uint64(min(_TILE, n_rows - start))
        for c in range(n_children):
            row, own, to = np.uint64(c * _TILE), slot + c, flow_of[child + c]
            if to != own:
                for r in range(width):
                    m[to, at + r] += found[row + r] * x[a + c, at + r]
            elif is_sum[child + c]:
                for r in range(width):
                    part, value = found[row + r] * x[a + c, at + r], m[own, at + r]
                    m[own, at + r] = 0.0 if value == 0.0 else part / value
            else:
                for r in range(width):
                    m[own, at + r] = found[row + r] * x[a + c, at + r]


@inner
def _add_edges(
    weight: Floats, shape: Offsets, share: Floats, sums: int, x: Floats, a: int, edge: Floats
) -> None:
    """Add the flow of the rows through each edge, four sums and four children at a time."""
    first, n_sums, n_children = shape[0], shape[1], shape[2]
    k = 0
    while k < n_sums:
        rows, done = min(4, n_sums - k), 0
        if rows == 4:
            done = _four_sums(
                weight, first + k * n_children, n_children, share, sums + k, x, a, edge
            )
        for own in range(k, k + rows):
            for c in range(done, n_children):
                total, e = 0.0, first + own * n_children + c
                for r in range(share.shape[1]):
                    total += share[sums + own, r] * x[a + c, r]
                edge[e] += weight[e] * total
        k += rows


@inner
def _four_sums(
    weight: Floats,
    first: int,
    n: int,
    share: Floats,
    s: int,
    x: Floats,
    a: int,
    edge: Floats,
) -> int:
    """Add to the edges of four sums, rows s:s + 4 of the shares; return the number of children."""
    c = 0
    while c + 4 <= n:
        p0, p1, p2, p3, q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        t0, t1, t2, t3, u0, u1, u2, u3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(share.shape[1]):
            x0, x1, x2, x3 = x[a + c, r], x[a + c + 1, r], x[a + c + 2, r], x[a + c + 3, r]
            p, q, t, u = share[s, r], share[s + 1, r], share[s + 2, r], share[s + 3, r]
            p0, p1, p2, p3 = p0 + p * x0, p1 + p * x1, p2 + p * x2, p3 + p * x3
            q0, q1, q2, q3 = q0 + q * x0, q1 + q * x1, q2 + q * x2, q3 + q * x3
            t0, t1, t2, t3 = t0 + t * x0, t1 + t * x1, t2 + t * x2, t3 + t * x3
            u0, u1, u2, u3 = u0 + u * x0, u1 + u * x1, u2 + u * x2, u3 + u * x3
        e = first + c
        _add_four(weight, e, edge, p0, p1, p2, p3)
        _add_four(weight, e + n, edge, q0, q1, q2, q3)
        _add_four(weight, e + 2 * n, edge, t0, t1, t2, t3)
        _add_four(weight, e + 3 * n, edge, u0, u1, u2, u3)
        c += 4
    return c


@inner
def _add_four(
    weight: Floats, e: int, edge: Floats, p0: float, p1: float, p2: float, p3: float
) -> None:
    edge[e] += weight[e] * p0
    edge[e + 1] += weight[e + 1] * p1
    edge[e + 2] += weight[e + 2] * p2
    edge[e + 3] += weight[e + 3] * p3
