"""Draw rows from the root down, each row with its own stream of random numbers."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Floats, Ids, States
from softlearn.kernels.circuit.program import Batch, DrawRoom, Graph, Values
from softlearn.kernels.circuit.scaled import times_power
from softlearn.kernels.compile import inner, kernel
from softlearn.kernels.seeds import STEP, uniform


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
    size = room.drawn.shape[0]
    for begin in range(draws[0], draws[1], size):
        end = min(begin + size, draws[1])
        first_row, last_row = begin // n_each, (end - 1) // n_each + 1
        at = np.uint64(first_row)
        for column in range(out.shape[0]):  # what is known, row by row
            for k in range(np.uint64(last_row - first_row)):
                room.known[k, column] = batch.values[column, at + k]
        _walk(graph, values, batch, first, n_each, (begin, end), states, room)
        at = np.uint64(begin)
        for column in range(out.shape[0]):
            for k in range(np.uint64(end - begin)):
                out[column, at + k] = room.drawn[k, column]
                leaf_of[column, at + k] = room.leaf[k, column]


@inner
def _walk(
    graph: Graph,
    values: Values,
    batch: Batch,
    first: int,
    n_each: int,
    draws: tuple[int, int],
    states: States,
    room: DrawRoom,
) -> None:
    """Walk down once for each draw; what it meets goes to the row of the draw in the room."""
    is_sum, edge_start, child, weight = graph.is_sum, graph.edge_start, graph.child, graph.weight
    slot_of, n_levels, leaf_column = graph.slot_of, graph.n_levels, graph.leaf_column
    leaf_offset, table = graph.leaf_offset, graph.table
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled
    set_start, factors = batch.set_start, batch.set_factors
    stack, drawn, leaf, known_values = room.stack, room.drawn, room.leaf, room.known
    first_known = draws[0] // n_each
    for i in range(draws[0], draws[1]):
        at = i // n_each
        r, own_row, of_row = at - first, i - draws[0], at - first_known
        state = states[i]
        stack[0] = is_sum.size - 1
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            begin, end = edge_start[node], edge_start[node + 1]
            if is_sum[node]:
                state += STEP
                slot = slot_of[node]
                own = exponent[slot, r] if scaled[slot] else 0.0
                left = uniform(state) * mantissa[slot, r]
                chosen = begin
                for e in range(begin, end):
                    to = slot_of[child[e]]
                    part = weight[e] * mantissa[to, r]
                    if scaled[slot] or scaled[to]:
                        below = exponent[to, r] if scaled[to] else 0.0
                        part = _scaled_part(weight[e], mantissa[to, r], below - own)
                    if part > 0.0:
                        chosen = e  # rounding never ends in a branch of probability zero
                        left -= part
                        if left < 0.0:
                            break
                stack[size] = child[chosen]
                size += 1
            elif node < leaf_column.size:
                state += STEP
                column = leaf_column[node]
                known, start = known_values[of_row, column], set_start[column]
                leaf[own_row, column] = -1
                if known == known:  # not NaN
                    drawn[own_row, column] = known
                elif n_levels[column] > 0:
                    where = -1 if start < 0 else start + at * n_levels[column]
                    level = (leaf_offset[node], where, n_levels[column])
                    drawn[own_row, column] = _level(table, factors, level, uniform(state))
                else:
                    drawn[own_row, column] = uniform(state)
                    leaf[own_row, column] = node
            else:
                for e in range(begin, end):
                    stack[size] = child[e]
                    size += 1
        states[i] = state


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
    if start < 0 and n_levels == 2:  # without a branch, which nobody can foresee
        return int((u >= table[offset]) & (table[offset + 1] > 0.0))
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
