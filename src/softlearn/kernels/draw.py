"""Draw rows from the root down, each row with its own stream of random numbers."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, States
from softlearn.kernels.compile import kernel
from softlearn.kernels.program import Batch, Graph, Values

# SplitMix64: the state moves by an odd constant, the output is the state well mixed.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


@kernel
def uniform(states: States, i: int) -> float:
    """Advance stream i and return a number in [0, 1)."""
    states[i] += _STEP
    z = states[i]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * _UNIT


@kernel
def descend(
    graph: Graph,
    values: Values,
    batch: Batch,
    first: int,
    n_each: int,
    draws: tuple[int, int],
    states: States,
    stack: Ids,
    out: Floats,
    leaf_of: Ids,
) -> None:
    """Make the draws draws[0]:draws[1] from a traced block that starts at row `first`.

    Draw i belongs to row i // n_each of the batch. A discrete column's code goes to out; a
    continuous column gets a uniform number there and its leaf in leaf_of.
    """
    for i in range(draws[0], draws[1]):
        at = i // n_each
        r = at - first
        stack[0] = graph.is_sum.size - 1
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            if graph.is_sum[node]:
                edge = _branch(graph, values, node, r, uniform(states, i))
                stack[size] = graph.child[edge]
                size += 1
                continue
            if node < graph.leaf_column.size:
                column = graph.leaf_column[node]
                known = batch.values[column, at]
                u = uniform(states, i)
                if known == known:  # not NaN
                    out[column, i] = known
                elif graph.n_levels[column] > 0:
                    out[column, i] = _level(graph, batch, node, column, at, u)
                else:
                    out[column, i] = u
                    leaf_of[column, i] = node
            for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
                stack[size] = graph.child[e]
                size += 1


@kernel
def _branch(graph: Graph, values: Values, node: int, r: int, u: float) -> int:
    """Return the edge of a sum that a uniform number picks, by weight times value."""
    first, last = graph.edge_start[node], graph.edge_start[node + 1]
    total = 0.0
    for e in range(first, last):
        total += _branch_value(graph, values, node, e, r)
    left = u * total
    chosen: int = first
    for e in range(first, last):
        part = _branch_value(graph, values, node, e, r)
        if part > 0.0:
            chosen = e  # rounding never ends in a branch of probability zero
            left -= part
            if left < 0.0:
                break
    return chosen


@kernel
def _branch_value(graph: Graph, values: Values, node: int, edge: int, r: int) -> float:
    slot, to = graph.slot_of[node], graph.slot_of[graph.child[edge]]
    if not (values.scaled[slot] or values.scaled[to]):
        plain: float = graph.weight[edge] * values.mantissa[to, r]
        return plain
    # A weight of 1e-300 keeps its exponent apart: with a small value it would vanish.
    fraction, of_weight = math.frexp(graph.weight[edge])
    shift = of_weight + (values.exponent[to, r] if values.scaled[to] else 0.0)
    shift -= values.exponent[slot, r] if values.scaled[slot] else 0.0
    return math.ldexp(fraction * values.mantissa[to, r], int(max(min(shift, 4000.0), -4000.0)))


@kernel
def _level(graph: Graph, batch: Batch, leaf: int, column: int, at: int, u: float) -> int:
    """Return the level that a uniform number picks, among those that the evidence allows."""
    n_levels, offset = graph.n_levels[column], graph.leaf_offset[leaf]
    start = batch.set_start[column]
    if start >= 0:
        start += at * n_levels
    total = 0.0
    for k in range(n_levels):
        total += graph.table[offset + k] * (batch.set_factors[start + k] if start >= 0 else 1.0)
    left = u * total
    chosen = 0
    for k in range(n_levels):
        part = graph.table[offset + k] * (batch.set_factors[start + k] if start >= 0 else 1.0)
        if part > 0.0:
            chosen = k
            left -= part
            if left < 0.0:
                break
    return chosen
