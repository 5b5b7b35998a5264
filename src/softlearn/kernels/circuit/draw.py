"""Draw rows from the root down, each row with its own stream of random numbers."""

from __future__ import annotations

import math

from softlearn.arrays import Floats, Ids, States
from softlearn.kernels.circuit.program import Batch, Graph, Values
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
    stack: Ids,
    out: Floats,
    leaf_of: Ids,
) -> None:
    """Make the draws draws[0]:draws[1] from a traced block that starts at row `first`.

    Draw i belongs to row i // n_each of the batch. A discrete column's code goes to out; a
    continuous column gets a uniform number there and its leaf in leaf_of.
    """
    is_sum, edge_start, child, weight = graph.is_sum, graph.edge_start, graph.child, graph.weight
    slot_of, n_levels, leaf_column = graph.slot_of, graph.n_levels, graph.leaf_column
    leaf_offset, table = graph.leaf_offset, graph.table
    mantissa, exponent, scaled = values.mantissa, values.exponent, values.scaled
    known_values, set_start, factors = batch.values, batch.set_start, batch.set_factors
    for i in range(draws[0], draws[1]):
        at = i // n_each
        r = at - first
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
                known, start = known_values[column, at], set_start[column]
                if known == known:  # not NaN
                    out[column, i] = known
                elif n_levels[column] > 0:
                    where = -1 if start < 0 else start + at * n_levels[column]
                    level = (leaf_offset[node], where, n_levels[column])
                    out[column, i] = _level(table, factors, level, uniform(state))
                else:
                    out[column, i] = uniform(state)
                    leaf_of[column, i] = node
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
    return math.ldexp(fraction * mantissa, int(max(min(shift + of_weight, 4000.0), -4000.0)))


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
