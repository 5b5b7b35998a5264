"""Walk a traced block from the root down: how much of each row flows through each node."""

from __future__ import annotations

import math

from softlearn.arrays import Floats
from softlearn.kernels.circuit.dense import spread_dense
from softlearn.kernels.circuit.program import Graph, Values
from softlearn.kernels.circuit.scaled import times_power
from softlearn.kernels.compile import inner, kernel


@kernel
def spread(graph: Graph, values: Values, weight: Floats, part: Floats, edge: Floats) -> None:
    """Turn the values of a trace into flows: weight times the probability of visiting a node.

    A sum hands its flow on in proportion to weight times value, a product to all its children.
    Rows of probability zero flow nowhere. What all rows send through each edge is added to `edge`,
    (edges,), unless it is empty. `part` is scratch, (rows,).

    A flow is written over the value of its node, or to a slot of its own if the node has several
    parents, each of which needs the value (`Graph.flow_of`). What a sum needs is its flow divided
    by its value, its *share*, and that is what is left in the slot of a sum.
    """
    m, scaled = values.mantissa, values.scaled
    is_sum, slot_of, flow_of, child = graph.is_sum, graph.slot_of, graph.flow_of, graph.child
    n_rows = m.shape[1]
    for slot in range(scaled.size, m.shape[0]):  # the flows of nodes with several parents
        for r in range(n_rows):
            m[slot, r] = 0.0
    root = is_sum.size - 1
    for r in range(n_rows):
        part[r] = weight[r] if m[slot_of[root], r] != 0.0 else 0.0
    _give(m, part, slot_of[root], slot_of[root], is_sum[root])
    done = -1  # the block of sums that was handled last
    for node in range(root, graph.leaf_column.size - 1, -1):
        slot = slot_of[node]
        if not is_sum[node]:
            _hand_on(graph, node, m, edge)
            continue
        # A block is met from its last sum on; no node above it is left then.
        block, n_sums = graph.dense_block[node], 1
        if block >= 0:
            is_last = graph.dense_sum[node] == graph.dense[block, 1] - 1
            n_sums = graph.dense[block, 1] if is_last else 0
        for own in range(node - n_sums + 1, node + 1):
            if flow_of[own] != slot_of[own]:
                divide(m, slot_of[own], flow_of[own])
        if block >= 0 and n_sums > 0 and spread_dense(graph, node, values, part, edge):
            done = block
        if block >= 0 and block == done:
            continue
        for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
            own, to = slot_of[child[e]], flow_of[child[e]]
            if scaled[slot] or scaled[own]:
                _scaled_part(values, slot, own, graph.weight[e], part)
            elif own == to and not is_sum[child[e]] and edge.size == 0:
                _multiply_share(m, slot, own, graph.weight[e])
                continue
            else:
                _plain_part(m, slot, own, graph.weight[e], part)
            _give(m, part, own, to, is_sum[child[e]])
            if edge.size:
                edge[e] += _total(part)


@inner
def _multiply_share(m: Floats, slot: int, to: int, weight: float) -> None:
    """Write the flow of a product over its value."""
    for r in range(m.shape[1]):
        m[to, r] *= weight * m[slot, r]


@inner
def _plain_part(m: Floats, slot: int, own: int, weight: float, part: Floats) -> None:
    """Write what a sum sends to a child: its share times weight times value."""
    for r in range(m.shape[1]):
        part[r] = weight * m[own, r] * m[slot, r]


@inner
def _scaled_part(values: Values, slot: int, own: int, weight: float, part: Floats) -> None:
    """Write what a sum sends to a child where one of them has exponents."""
    m, exponent = values.mantissa, values.exponent
    above, below = values.scaled[slot], values.scaled[own]
    # A weight of 1e-300 keeps its exponent apart: with a small value it would vanish.
    fraction, of_weight = math.frexp(weight)
    for r in range(m.shape[1]):
        shift = of_weight + (exponent[own, r] if below else 0.0)
        shift -= exponent[slot, r] if above else 0.0
        part[r] = times_power(fraction * m[own, r] * m[slot, r], shift)


@inner
def _give(m: Floats, part: Floats, own: int, to: int, is_sum: int) -> None:
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


@inner
def divide(m: Floats, slot: int, flow: int) -> None:
    """Write the share of a sum, whose flow stands elsewhere, over its value."""
    for r in range(m.shape[1]):
        m[slot, r] = 0.0 if m[slot, r] == 0.0 else m[flow, r] / m[slot, r]


@inner
def _total(part: Floats) -> float:
    total = 0.0
    for r in range(part.size):
        total += part[r]
    return total


@inner
def _hand_on(graph: Graph, node: int, m: Floats, edge: Floats) -> None:
    """Let a product send its flow to all its children."""
    flow, total = graph.flow_of[node], 0.0
    if edge.size:
        for r in range(m.shape[1]):
            total += m[flow, r]
    for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
        if edge.size:
            edge[e] += total
        child = graph.child[e]
        if child < graph.leaf_column.size:
            continue  # a product's leaves are collected from its own flow
        own, to = graph.slot_of[child], graph.flow_of[child]
        if own != to:
            for r in range(m.shape[1]):
                m[to, r] += m[flow, r]
        elif graph.is_sum[child]:
            divide(m, own, flow)
        else:
            for r in range(m.shape[1]):
                m[own, r] = m[flow, r]
