"""The downward pass over a traced block: the flow of each row through each node."""

from __future__ import annotations

from softlearn.arrays import Floats
from softlearn.kernels.circuit.by_address import run_spread_block
from softlearn.kernels.circuit.program import Graph, Values
from softlearn.kernels.circuit.shares import divide, give, plain_part, scaled_part
from softlearn.kernels.compile import inner, kernel


@kernel
def spread(graph: Graph, values: Values, weight: Floats, part: Floats, edge: Floats) -> None:
    """Turn the values of a trace into flows: weight times the probability of visiting a node.

    A sum divides its flow in proportion to weight times value, a product passes it to all children.
    Rows of probability zero have no flow. The flow of all rows through each edge is added to
    `edge`, (edges,), unless that is empty. `part` is scratch, (rows,).

    A flow overwrites the value of its node, or is in a separate slot if the node has several
    parents, each of which needs the value (`Graph.flow_of`). Sums need their flow divided by their
    value, the *share*, which is therefore stored in the slot of a sum.
    """
    m, scaled = values.mantissa, values.scaled
    is_sum, slot_of, flow_of, child = graph.is_sum, graph.slot_of, graph.flow_of, graph.child
    edge_start, weights = graph.edge_start, graph.weight
    n_rows, n_leaves = m.shape[1], graph.leaf_column.size
    for slot in range(scaled.size, m.shape[0]):  # the flows of nodes with several parents
        for r in range(n_rows):
            m[slot, r] = 0.0
    root = is_sum.size - 1
    for r in range(n_rows):
        part[r] = weight[r] if m[slot_of[root], r] != 0.0 else 0.0
    give(m, part, slot_of[root], slot_of[root], is_sum[root])
    for node in range(root, n_leaves - 1, -1):
        slot, first, last = slot_of[node], edge_start[node], edge_start[node + 1]
        if not is_sum[node]:
            total = _total(m, flow_of[node]) if edge.size else 0.0
            for e in range(first, last):
                if edge.size:
                    edge[e] += total
                if child[e] >= n_leaves:  # a product's leaves are collected from its own flow
                    own, to = slot_of[child[e]], flow_of[child[e]]
                    _hand_on(m, flow_of[node], own, to, is_sum[child[e]])
            continue
        block = graph.dense_block[node]
        if block >= 0:
            # A block is reached at its last sum; all nodes above it are done then.
            if graph.dense_sum[node] == graph.dense[block, 1] - 1:
                run_spread_block(graph.spread_block, graph, node, values, part, edge)
            continue
        if flow_of[node] != slot:
            divide(m, slot, flow_of[node])
        for e in range(first, last):
            own, to = slot_of[child[e]], flow_of[child[e]]
            if scaled[slot] or scaled[own]:
                scaled_part(values, slot, own, weights[e], part)
            elif own == to and not is_sum[child[e]] and edge.size == 0:
                _multiply_share(m, slot, own, weights[e])
                continue
            else:
                plain_part(m, slot, own, weights[e], part)
            give(m, part, own, to, is_sum[child[e]])
            if edge.size:
                edge[e] += part.sum()


@inner
def _multiply_share(m: Floats, slot: int, to: int, weight: float) -> None:
    """Write the flow of a product over its value."""
    for r in range(m.shape[1]):
        m[to, r] *= weight * m[slot, r]


@inner
def _total(m: Floats, slot: int) -> float:
    total = 0.0
    for r in range(m.shape[1]):
        total += m[slot, r]
    return total


@inner
def _hand_on(m: Floats, flow: int, own: int, to: int, is_sum: int) -> None:
    """Pass the flow of a product to a child."""
    if own != to:
        for r in range(m.shape[1]):
            m[to, r] += m[flow, r]
    elif is_sum:
        divide(m, own, flow)
    else:
        for r in range(m.shape[1]):
            m[own, r] = m[flow, r]
