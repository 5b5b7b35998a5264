"""Add up the flows of leaves to the posteriors of columns."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.circuit.program import Batch, ColumnReach, Graph
from softlearn.kernels.compile import inner, kernel

# Scratch holds a block's codes, followed by two levels at a constant distance: otherwise the
# compiler would not see that they do not overlap with the flows that are added to them.
_FIRST = 256
_SECOND = 512
SCRATCH = 768


@kernel
def collect(
    graph: Graph,
    reach: ColumnReach,
    wanted: Bools,
    level_start: Offsets,
    kept: Ids,
    batch: Batch,
    first: int,
    flow: Floats,
    scratch: Floats,
    posterior: Floats,
) -> None:
    """Write the posteriors of a block of rows, the first of which is `first`.

    A discrete column has one row of `posterior` for each level; for continuous ones the flows of
    the slots in `kept` follow. Only columns in `wanted` are written. Known levels get probability
    one. `scratch` has `SCRATCH` numbers, and the block a third of that or less.
    """
    _copy_flows(kept, flow, posterior, first)
    n_rows = flow.shape[1]
    for column in range(wanted.size):
        if not wanted[column]:
            continue
        n_levels, row = graph.n_levels[column], level_start[column]
        if n_levels == 0:
            continue
        n_known = _read_codes(batch.values, column, first, n_rows, scratch)
        if batch.set_start[column] >= 0:
            _share_by_factors(graph, reach, column, batch, first, flow, posterior, row)
        elif n_known < n_rows:
            _add_levels(graph, reach, column, flow, scratch, posterior, (row, first))
            continue
        if n_known > 0:
            _set_known(scratch, n_rows, n_levels, posterior, row, first)


@inner
def _read_codes(values: Floats, column: int, first: int, n_rows: int, code: Floats) -> int:
    """Write the codes of a column's known levels, -1 for others; return how many are known."""
    n_known, at = 0, np.uint64(first)
    for r in range(np.uint64(n_rows)):
        x = values[column, at + r]
        code[r] = x if x == x else -1.0  # NaN is not equal to itself
        n_known += x == x
    return n_known


@inner
def _copy_flows(kept: Ids, flow: Floats, posterior: Floats, first: int) -> None:
    """Copy the flows of continuous leaves to the last rows."""
    at, row = np.uint64(first), posterior.shape[0] - kept.size
    for i in range(kept.size):
        slot = kept[i]
        for r in range(np.uint64(flow.shape[1])):
            posterior[row + i, at + r] = flow[slot, r]


@inner
def _add_levels(
    graph: Graph,
    reach: ColumnReach,
    column: int,
    flow: Floats,
    scratch: Floats,
    posterior: Floats,
    to: tuple[int, int],
) -> None:
    """Write the probability of each level, flow times probability, or the known level.

    `to` is the place of the first level and the first row.
    """
    n_levels, n_rows, at = graph.n_levels[column], flow.shape[1], np.uint64(to[1])
    last = reach.start[column + 1] - 1
    for k in range(0, n_levels, 2):
        second = min(k + 1, n_levels - 1)
        for r in range(n_rows):
            scratch[_FIRST + r] = scratch[_SECOND + r] = 0.0
        for u in range(reach.start[column], last + 1, 4):
            _add_four(graph, reach, u, last, (k, second), flow, scratch)
        for r in range(np.uint64(n_rows)):
            certain = 1.0 if scratch[r] == k else 0.0
            believed = scratch[_FIRST + r]
            posterior[to[0] + k, at + r] = certain if scratch[r] >= 0.0 else believed
        for r in range(np.uint64(n_rows)):
            certain = 1.0 if scratch[r] == second else 0.0
            believed = scratch[_SECOND + r]
            posterior[to[0] + second, at + r] = certain if scratch[r] >= 0.0 else believed


@inner
def _add_four(
    graph: Graph,
    reach: ColumnReach,
    u: int,
    last: int,
    levels: tuple[int, int],
    flow: Floats,
    total: Floats,
) -> None:
    """Add the leaves at u:u + 4 to two levels; leaves after the last add nothing."""
    slot, leaf, offset, table = reach.slot, reach.leaf, graph.leaf_offset, graph.table
    v, w, x = min(u + 1, last), min(u + 2, last), min(u + 3, last)
    a, b, c, d = slot[u], slot[v], slot[w], slot[x]
    at_a, at_b, at_c, at_d = offset[leaf[u]], offset[leaf[v]], offset[leaf[w]], offset[leaf[x]]
    k, second = levels
    p0, q0 = table[at_a + k], table[at_a + second]
    p1, q1 = table[at_b + k], table[at_b + second]
    p2, q2 = table[at_c + k], table[at_c + second]
    p3, q3 = table[at_d + k], table[at_d + second]
    if u + 1 > last:
        p1 = q1 = 0.0
    if u + 2 > last:
        p2 = q2 = 0.0
    if u + 3 > last:
        p3 = q3 = 0.0
    for r in range(flow.shape[1]):
        f, g, h, i = flow[a, r], flow[b, r], flow[c, r], flow[d, r]
        total[_FIRST + r] += (p0 * f + p1 * g) + (p2 * h + p3 * i)
        total[_SECOND + r] += (q0 * f + q1 * g) + (q2 * h + q3 * i)


@inner
def _share_by_factors(
    graph: Graph,
    reach: ColumnReach,
    column: int,
    batch: Batch,
    first: int,
    flow: Floats,
    posterior: Floats,
    row: int,
) -> None:
    """Write the levels of a column in rows with a factor for each of them."""
    n_levels, table, factors = graph.n_levels[column], graph.table, batch.set_factors
    for k in range(n_levels):
        for r in range(flow.shape[1]):
            posterior[row + k, first + r] = 0.0
    for u in range(reach.start[column], reach.start[column + 1]):
        slot, offset = reach.slot[u], graph.leaf_offset[reach.leaf[u]]
        for r in range(flow.shape[1]):
            at = batch.set_start[column] + (first + r) * n_levels
            total = 0.0
            for k in range(n_levels):
                total += factors[at + k] * table[offset + k]
            if total == 0.0:
                continue  # no flow here
            # The compiler may divide by way of 1 / total, which must not be infinite.
            lift = 2.0**200 if total < 2.0**-900 else 1.0
            total *= lift
            for k in range(n_levels):
                p = factors[at + k] * (lift * table[offset + k]) / total
                posterior[row + k, first + r] += p * flow[slot, r]


@inner
def _set_known(
    code: Floats, n_rows: int, n_levels: int, posterior: Floats, row: int, first: int
) -> None:
    """Give the known levels of a column probability one, and all others zero."""
    at = np.uint64(first)
    for k in range(n_levels):
        for r in range(np.uint64(n_rows)):
            believed = posterior[row + k, at + r]
            certain = 1.0 if code[r] == k else 0.0
            posterior[row + k, at + r] = certain if code[r] >= 0.0 else believed
