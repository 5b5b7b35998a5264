"""Max-product on a block of rows in log space: best values upwards, best leaves downwards."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.compile import kernel


class LogGraph(NamedTuple):
    """A circuit as the passes below read it: leaves first, children before parents, root last."""

    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)
    log_weight: Floats  # (edges,)  0 on product edges
    is_sum: Bools  # (nodes,)
    leaf_column: Ids  # (leaves,)


@kernel
def climb(graph: LogGraph, values: Floats, total: Floats, add: bool) -> None:
    """Fill the inner nodes of values (nodes, rows) from the leaves.

    Products add logarithms. Sums take the best branch, or with `add` all of them together.
    `total` is scratch, (rows,).
    """
    edge_start, child, n_rows = graph.edge_start, graph.child, values.shape[1]
    for node in range(graph.leaf_column.size, graph.is_sum.size):
        own, is_sum = values[node], graph.is_sum[node]
        for r in range(n_rows):
            own[r] = -np.inf if is_sum else 0.0
        for e in range(edge_start[node], edge_start[node + 1]):
            below, weight = values[child[e]], graph.log_weight[e]
            for r in range(n_rows):
                own[r] = max(own[r], weight + below[r]) if is_sum else own[r] + below[r]
        if add and is_sum:
            for r in range(n_rows):
                total[r] = 0.0
            for e in range(edge_start[node], edge_start[node + 1]):
                below, weight = values[child[e]], graph.log_weight[e]
                for r in range(n_rows):
                    if own[r] > -np.inf:
                        total[r] += math.exp(weight + below[r] - own[r])
            for r in range(n_rows):
                if own[r] > -np.inf:
                    own[r] += math.log(total[r])


@kernel
def trace_back(graph: LogGraph, values: Floats, stack: Ids, chosen: Ids) -> None:
    """Write to chosen (columns, rows) the leaf of each column on the best path from the root.

    Of equal branches the first is taken. `stack` has room for as many nodes as there are columns:
    nodes that wait in it have no column in common. Rows of probability zero get -1.
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
