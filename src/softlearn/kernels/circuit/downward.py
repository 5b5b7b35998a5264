"""Walk a traced block from the root down: how much of each row flows through each node."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.circuit.dense import spread_dense
from softlearn.kernels.circuit.program import Batch, Graph, Values
from softlearn.kernels.circuit.scaled import times_power
from softlearn.kernels.compile import inner, kernel


@kernel
def spread(
    graph: Graph, values: Values, weight: Floats, flow: Floats, share: Floats, edge: Floats
) -> None:
    """Fill flow (slots, rows): a row's weight times the probability that its path visits a node.

    A sum hands its flow on in proportion to weight times value, a product to all its children.
    Rows of probability zero flow nowhere. What all rows send through each edge is added to `edge`,
    (edges,), unless it is empty. `share` is scratch, (rows,).
    """
    child, slot_of, n_rows = graph.child, graph.slot_of, flow.shape[1]
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled
    for slot in range(flow.shape[0]):
        for r in range(n_rows):
            flow[slot, r] = 0.0
    root = slot_of[graph.is_sum.size - 1]
    for r in range(n_rows):
        flow[root, r] = weight[r] if mantissa[root, r] != 0.0 else 0.0
    done = -1  # the block of sums that was handled last
    for node in range(graph.is_sum.size - 1, graph.leaf_column.size - 1, -1):
        slot = slot_of[node]
        if not graph.is_sum[node]:
            _hand_on(graph, node, flow, edge)
            continue
        # A block is met from its last sum on; no node above it is left then.
        block = graph.dense_block[node]
        is_last = block >= 0 and graph.dense_sum[node] == graph.dense[block, 1] - 1
        if is_last and spread_dense(graph, node, values, flow, share, edge):
            done = block
        if block >= 0 and block == done:
            continue
        for r in range(n_rows):
            empty = mantissa[slot, r] == 0.0
            share[r] = 0.0 if empty else flow[slot, r] / mantissa[slot, r]
        for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
            to, total = slot_of[child[e]], 0.0
            if scaled[slot] or scaled[to]:
                # A weight of 1e-300 keeps its exponent apart: with a small value it would vanish.
                fraction, of_weight = math.frexp(graph.weight[e])
                for r in range(n_rows):
                    shift = of_weight + (exponent[to, r] if scaled[to] else 0.0)
                    shift -= exponent[slot, r] if scaled[slot] else 0.0
                    part = times_power(fraction * mantissa[to, r] * share[r], shift)
                    flow[to, r] += part
                    total += part
            else:
                of_edge = graph.weight[e]
                for r in range(n_rows):
                    part = of_edge * mantissa[to, r] * share[r]
                    flow[to, r] += part
                    total += part
            if edge.size:
                edge[e] += total


@inner
def _hand_on(graph: Graph, node: int, flow: Floats, edge: Floats) -> None:
    """Let a product send its flow to all its children."""
    slot, total = graph.slot_of[node], 0.0
    if edge.size:
        for r in range(flow.shape[1]):
            total += flow[slot, r]
    for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
        if edge.size:
            edge[e] += total
        # A product's leaves are collected from its own slot, even those with another of theirs.
        if graph.child[e] >= graph.leaf_column.size:
            to = graph.slot_of[graph.child[e]]
            for r in range(flow.shape[1]):
                flow[to, r] += flow[slot, r]


@kernel
def collect(
    graph: Graph,
    use_leaf: Ids,
    use_slot: Ids,
    place: Offsets,
    wanted: Bools,
    batch: Batch,
    first: int,
    flow: Floats,
    level_start: Offsets,
    posterior: Floats,
) -> None:
    """Add the flow of every leaf to its column's posterior.

    A discrete column has one row of `posterior` for each level, a continuous one for each of its
    leaves, found at `place`. Only columns in `wanted` are filled. Known levels get probability one.
    """
    values, set_start, factors = batch.values, batch.set_start, batch.set_factors
    # Unsigned places are not counted from the end, so that loops over them become vectors.
    begin, n_rows = np.uint64(first), np.uint64(flow.shape[1])
    for u in range(use_leaf.size):
        leaf, slot = use_leaf[u], use_slot[u]
        column = graph.leaf_column[leaf]
        n_levels, offset = graph.n_levels[column], graph.leaf_offset[leaf]
        if not wanted[column]:
            continue
        if n_levels == 0:
            row = place[leaf]
            for r in range(n_rows):
                posterior[row, begin + r] += flow[slot, r]
        elif set_start[column] < 0:
            for k in range(n_levels):
                p, row = graph.table[offset + k], level_start[column] + k
                for r in range(n_rows):
                    posterior[row, begin + r] += p * flow[slot, r]
        else:
            for r in range(flow.shape[1]):
                at = set_start[column] + (first + r) * n_levels
                known = values[column, first + r] == values[column, first + r]
                total = 0.0
                for k in range(n_levels):
                    total += factors[at + k] * graph.table[offset + k]
                if total == 0.0 or known:
                    continue  # nothing flows here, or the value is known
                # The compiler may divide by way of 1 / total, which must not be infinite.
                lift = 2.0**200 if total < 2.0**-900 else 1.0
                total *= lift
                for k in range(n_levels):
                    p = factors[at + k] * (lift * graph.table[offset + k]) / total
                    posterior[level_start[column] + k, first + r] += p * flow[slot, r]
    for column in range(wanted.size):
        if wanted[column]:
            _set_known(
                values, column, begin, graph.n_levels[column], level_start, posterior, n_rows
            )


@inner
def _set_known(
    values: Floats,
    column: int,
    begin: np.uint64,
    n_levels: int,
    level_start: Offsets,
    posterior: Floats,
    n_rows: np.uint64,
) -> None:
    """Give the known levels of a column probability one, and all others zero."""
    for k in range(n_levels):
        row = level_start[column] + k
        for r in range(n_rows):
            x, believed = values[column, begin + r], posterior[row, begin + r]
            certain = 1.0 if x == k else 0.0
            posterior[row, begin + r] = certain if x == x else believed
