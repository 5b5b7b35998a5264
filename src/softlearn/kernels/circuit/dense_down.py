"""Pass the flow of a block of sums that have the same children down, as products of matrices."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.kernels.circuit.dense import (
    FIRST,
    TILE,
    any_scaled,
    brought_near,
    pack,
    tile_times,
)
from softlearn.kernels.circuit.program import Graph, Values
from softlearn.kernels.circuit.scaled import size_of, times_power
from softlearn.kernels.circuit.shares import divide, give, plain_part, scaled_part
from softlearn.kernels.compile import allocating_inner, inner

_FURTHEST = 900.0  # bits that a share may be from the common exponent of its row


def spread_block(graph: Graph, last: int, values: Values, part: Floats, edge: Floats) -> int:
    """Pass the flow of a block of sums down, together or, if values differ too much, one by one.

    `last` is the last of its sums. It returns 0.
    """
    m, scaled, slot_of, flow_of = values.mantissa, values.scaled, graph.slot_of, graph.flow_of
    block = graph.dense_block[last]
    first_edge, n_sums, n_children = (
        graph.dense[block, 0],
        graph.dense[block, 1],
        graph.dense[block, 2],
    )
    for node in range(last - n_sums + 1, last + 1):
        if flow_of[node] != slot_of[node]:
            divide(m, slot_of[node], flow_of[node])
    if _all_at_once(graph, last, values, part, edge):
        return 0
    # All sums need the values of the children, over which their flow may be written.
    flow, first = np.zeros((n_children, m.shape[1])), graph.child[first_edge]
    for k in range(n_sums):
        slot = slot_of[last - n_sums + 1 + k]
        for c in range(n_children):
            e, own = first_edge + k * n_children + c, slot_of[first + c]
            if scaled[slot] or scaled[own]:
                scaled_part(values, slot, own, graph.weight[e], part)
            else:
                plain_part(m, slot, own, graph.weight[e], part)
            for r in range(part.size):
                flow[c, r] += part[r]
            if edge.size:
                edge[e] += part.sum()
    for c in range(n_children):
        for r in range(part.size):
            part[r] = flow[c, r]
        give(m, part, slot_of[first + c], flow_of[first + c], graph.is_sum[first + c])
    return 0


@allocating_inner
def _all_at_once(graph: Graph, last: int, values: Values, top: Floats, edge: Floats) -> bool:
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
    if any_scaled(values, a, n_children) or any_scaled(values, sums, n_sums):
        near, share = np.empty((n_children, top.size)), np.empty((n_sums, top.size))
        if not brought_near(values, a, near, top) or not _shares(values, sums, top, share):
            return False
        if edge.size:
            _add_edges(graph.weight, shape, share, FIRST, near, FIRST, edge)
        _hand_down(graph, shape, child, share, near, m, (FIRST, FIRST, a))
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


@allocating_inner
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
    tile, found = np.empty(n_sums * TILE), np.empty(n_children * TILE)
    for start in range(0, n_rows, TILE):
        pack(share, sums, n_sums, start, tile)
        tile_times(weight, first, 1, n_children, tile, n_sums, found, n_children)
        at, width = np.uint64(start), np.uint64(min(TILE, n_rows - start))
        for c in range(n_children):
            row, own, to = np.uint64(c * TILE), slot + c, flow_of[child + c]
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
