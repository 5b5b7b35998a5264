"""Max-product on a block of rows in log space: best values upwards, best leaves downwards."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.compile import inner, kernel


class LogGraph(NamedTuple):
    """A circuit for the passes below: leaves first, children before parents, root last."""

    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)
    log_weight: Floats  # (edges,)  0 on product edges
    is_sum: Bools  # (nodes,)
    leaf_column: Ids  # (leaves,)


@kernel
def climb(graph: LogGraph, values: Floats) -> None:
    """Fill the inner nodes of values (nodes, rows) from the leaves: sums take the best branch."""
    edge_start, child, n_rows = graph.edge_start, graph.child, values.shape[1]
    for node in range(graph.leaf_column.size, graph.is_sum.size):
        own, is_sum = values[node], graph.is_sum[node]
        for r in range(n_rows):
            own[r] = -np.inf if is_sum else 0.0
        for e in range(edge_start[node], edge_start[node + 1]):
            below, weight = values[child[e]], graph.log_weight[e]
            for r in range(n_rows):
                own[r] = max(own[r], weight + below[r]) if is_sum else own[r] + below[r]


@kernel
def prove(
    graph: LogGraph, apart: Bools, pattern: Offsets, values: Floats, slack: Floats, proven: Bools
) -> None:
    """Find the nodes that have their maximum given the evidence at the completed row.

    For leaves, values (nodes, rows) hold the maximum, slack a bound of its rounding error, and
    proven whether it is reached at the completed row. Inner nodes get an upper bound, and whether
    it is reached: for products and sums, that is where all children reach theirs. Where at most one
    child of a sum is possible, by the evidence's pattern in apart (patterns, nodes) or because all
    others are impossible, the bound is that of the best child, and only this child must reach it.
    """
    for node in range(graph.leaf_column.size, graph.is_sum.size):
        for r in range(values.shape[1]):
            if graph.is_sum[node]:
                one_of = apart[pattern[r], node]
                _prove_sum(graph, node, r, one_of, values, slack, proven)
                continue
            total, room, reached = 0.0, 0.0, True
            for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
                below = graph.child[e]
                total += values[below, r]
                room += slack[below, r]
                reached &= proven[below, r]
            # A node that is impossible for all rows is impossible for the completed one.
            values[node, r], slack[node, r] = total, room
            proven[node, r] = reached or total == -np.inf


@inner
def _prove_sum(
    graph: LogGraph,
    node: int,
    r: int,
    one_of: bool,
    values: Floats,
    slack: Floats,
    proven: Bools,
) -> None:
    first, last = graph.edge_start[node], graph.edge_start[node + 1]
    best, best_edge, n_possible, most_slack, all_reached = -np.inf, first, 0, 0.0, True
    for e in range(first, last):
        value, reached = graph.log_weight[e] + values[graph.child[e], r], proven[graph.child[e], r]
        if value == -np.inf:
            continue
        n_possible += 1
        all_reached &= reached
        most_slack = max(most_slack, slack[graph.child[e], r])
        # Among equal ones, a child that reaches its bound proves that the others are not better.
        if value > best or (value == best and reached):
            best, best_edge = value, e
    if n_possible <= 1 or one_of:
        room, reached = slack[graph.child[best_edge], r], True
        for e in range(first, last):
            value = graph.log_weight[e] + values[graph.child[e], r]
            if e != best_edge and value > -np.inf:
                reached &= best - value >= room + slack[graph.child[e], r]
        values[node, r], slack[node, r] = best, room
        proven[node, r] = n_possible == 0 or (reached and proven[graph.child[best_edge], r])
        return
    total = 0.0
    for e in range(first, last):
        total += math.exp(graph.log_weight[e] + values[graph.child[e], r] - best)
    values[node, r], slack[node, r] = best + math.log(total), most_slack
    proven[node, r] = all_reached


@kernel
def trace_back(graph: LogGraph, values: Floats, stack: Ids, chosen: Ids) -> None:
    """Write to chosen (columns, rows) the leaf of each column on the best path from the root.

    Of equal branches the first is taken. `stack` has room for as many nodes as there are columns:
    the nodes on it have no column in common. Rows of probability zero get -1.
    """
    edge_start, child = graph.edge_start, graph.child
    root, n_leaves = graph.is_sum.size - 1, graph.leaf_column.size
    for r in range(values.shape[1]):
        for column in range(chosen.shape[0]):
            chosen[column, r] = -1
        stack[0] = root
        depth = 1 if values[root, r] > -np.inf else 0
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if node < n_leaves:
                chosen[graph.leaf_column[node], r] = node
            elif graph.is_sum[node]:
                best, most = -1, -np.inf
                for e in range(edge_start[node], edge_start[node + 1]):
                    value = graph.log_weight[e] + values[child[e], r]
                    if value > most:
                        best, most = e, value
                stack[depth] = child[best]
                depth += 1
            else:
                for e in range(edge_start[node], edge_start[node + 1]):
                    stack[depth] = child[e]
                    depth += 1
