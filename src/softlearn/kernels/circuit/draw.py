"""Draw rows from the root down, each row with its own stream of random numbers."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, States
from softlearn.kernels.circuit.program import Batch, DrawRoom, Graph, Values
from softlearn.kernels.circuit.scaled import times_power
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.seeds import STEP, uniform

_FEW_LEVELS = 4  # at most so many are scanned


@kernel
def descend(
    graph: Graph,
    values: Values,
    batch: Batch,
    first: int,
    n_each: int,
    draws: tuple[int, int],
    states: States,
    room: DrawRoom,
    out: Floats,
    leaf_of: Ids,
) -> None:
    """Make the draws draws[0]:draws[1] from a traced block that starts at row `first`.

    Draw i belongs to row i // n_each of the batch. A discrete column's code goes to out; a
    continuous column gets a uniform number there and its leaf in leaf_of, -1 if it is known.
    """
    size, row, drawn, leaf = room.drawn.shape[0], room.row, room.drawn, room.leaf
    known_values, n_levels = batch.values, graph.n_levels
    for begin in range(draws[0], draws[1], size):
        n = min(size, draws[1] - begin)
        for k in range(n):
            row[k] = (begin + k) // n_each
        _walk(graph, values, batch, first, (begin, n), states, room)
        at = np.uint64(begin)
        for column in range(out.shape[0]):
            for k in range(np.uint64(n)):
                known, found = known_values[column, np.uint64(row[k])], drawn[k, column]
                out[column, at + k] = known if known == known else found
            if n_levels[column] == 0:
                for k in range(np.uint64(n)):
                    known, below = known_values[column, np.uint64(row[k])], leaf[k, column]
                    leaf_of[column, at + k] = -1 if known == known else below


@inner
def _walk(
    graph: Graph,
    values: Values,
    batch: Batch,
    first: int,
    draws: tuple[int, int],
    states: States,
    room: DrawRoom,
) -> None:
    """Walk down once for each of some draws; the results go to its row in the room.

    `draws` is the first and their number. Known columns are drawn too: that is faster than a check.
    It is a single function, because a call counts references to its array arguments, which takes
    longer than drawing a level.
    """
    is_sum, edge_start, child, weight = graph.is_sum, graph.edge_start, graph.child, graph.weight
    slot_of, n_levels, leaf_column = graph.slot_of, graph.n_levels, graph.leaf_column
    leaf_offset, table = graph.leaf_offset, graph.table
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled
    set_start, factors = batch.set_start, batch.set_factors
    stack, drawn, leaf, row = room.stack, room.drawn, room.leaf, room.row
    n_leaves = leaf_column.size
    for k in range(draws[1]):
        state, r = states[draws[0] + k], row[k] - first
        stack[0] = is_sum.size - 1
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            while is_sum[node]:
                state += STEP
                slot, chosen = slot_of[node], edge_start[node]
                left = uniform(state) * mantissa[slot, r]
                for e in range(edge_start[node], edge_start[node + 1]):
                    to = slot_of[child[e]]
                    part = weight[e] * mantissa[to, r]
                    if scaled[slot] or scaled[to]:
                        above = exponent[slot, r] if scaled[slot] else 0.0
                        shift = (exponent[to, r] if scaled[to] else 0.0) - above
                        part = _scaled_part(weight[e], mantissa[to, r], shift)
                    if part > 0.0:
                        chosen = e  # rounding never ends in a branch of probability zero
                        left -= part
                        if left < 0.0:
                            break
                node = child[chosen]
            is_leaf = node < n_leaves  # below a sum: the only one to draw
            for e in range(edge_start[node], edge_start[node + 1] + is_leaf):
                below = node if is_leaf else child[e]
                if below >= n_leaves:
                    stack[size] = below
                    size += 1
                    continue
                state += STEP
                column, offset, u = leaf_column[below], leaf_offset[below], uniform(state)
                n, start = n_levels[column], set_start[column]
                if n == 0:
                    drawn[k, column], leaf[k, column] = u, below
                elif n == 2 and start < 0:
                    # Without a branch, which could not be predicted.
                    drawn[k, column] = (u >= table[offset]) & (table[offset + 1] > 0.0)
                elif n <= _FEW_LEVELS and start < 0:
                    # Without a branch, which could not be predicted.
                    until, level, last = 0.0, 0, 0
                    for i in range(n):
                        until += table[offset + i]
                        level += u >= until
                        last = i if table[offset + i] > 0.0 else last
                    drawn[k, column] = min(level, last)
                else:
                    start = -1 if start < 0 else start + row[k] * n
                    drawn[k, column] = _level(table, factors, (offset, start, n), u)
        states[draws[0] + k] = state


@inner
def _scaled_part(weight: float, mantissa: float, shift: float) -> float:
    """Return a branch's part of its sum where exponents differ.

    A weight of 1e-300 keeps its exponent apart: with a small value it would vanish.
    """
    fraction, of_weight = math.frexp(weight)
    return times_power(fraction * mantissa, shift + of_weight)


@inner
def _level(table: Floats, factors: Floats, level: tuple[int, int, int], u: float) -> int:
    """Return the level that a uniform number picks, among those that the evidence allows.

    `level` is where the probabilities begin, where the factors do (-1 for none), and how many.
    """
    offset, start, n_levels = level
    total = 1.0
    if start >= 0:
        total = 0.0
        for k in range(n_levels):
            total += table[offset + k] * factors[start + k]
    left = u * total
    chosen = 0
    for k in range(n_levels):
        part = table[offset + k]
        if start >= 0:
            part *= factors[start + k]
        if part > 0.0:
            chosen = k
            left -= part
            if left < 0.0:
                break
    return chosen
