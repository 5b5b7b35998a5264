"""Add up the flows of leaves to the posteriors of columns."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Offsets
from softlearn.kernels.circuit.program import Batch, ColumnReach, Graph
from softlearn.kernels.compile import inner, kernel


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
    code: Floats,
    posterior: Floats,
) -> None:
    """Write the posteriors of a block of rows, the first of which is `first`.

    A discrete column has one row of `posterior` for each level; for continuous ones the flows of
    the slots in `kept` follow. Only columns in `wanted` are written. Known levels get probability
    one. `code` is scratch, (rows,).
    """
    _copy_flows(kept, flow, posterior, first)
    for column in range(wanted.size):
        if not wanted[column]:
            continue
        n_levels, row = graph.n_levels[column], level_start[column]
        if n_levels == 0:
            continue
        n_known = _read_codes(batch.values, column, first, code)
        if batch.set_start[column] >= 0:
            _share_by_factors(graph, reach, column, batch, first, flow, posterior, row)
        elif n_known < code.size:
            _add_levels(graph, reach, column, flow, posterior, row, first)
        if n_known > 0:
            _set_known(code, n_levels, posterior, row, first)


@inner
def _read_codes(values: Floats, column: int, first: int, code: Floats) -> int:
    """Write the codes of a column's known levels, -1 for others; return how many are known."""
    n_known, at = 0, np.uint64(first)
    for r in range(np.uint64(code.size)):
        x = values[column, at + r]
        code[r] = x if x == x else -1.0  # NaN is not equal to itself
        n_known += x == x
    return n_known


@inner
def _copy_flows(kept: Ids, flow: Floats, posterior: Floats, first: int) -> None:
    """Write the flows that are kept as they are to the last rows."""
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
    posterior: Floats,
    row: int,
    first: int,
) -> None:
    """Write the probability of each level: flow times probability, of eight leaves in one pass."""
    for k in range(graph.n_levels[column]):
        for r in range(flow.shape[1]):
            posterior[row + k, first + r] = 0.0
    last = reach.start[column + 1] - 1
    for u in range(reach.start[column], last + 1, 8):
        for k in range(graph.n_levels[column]):
            _add_eight(graph, reach, u, last, k, flow, posterior, (row + k, first))


@inner
def _add_eight(
    graph: Graph,
    reach: ColumnReach,
    u: int,
    last: int,
    level: int,
    flow: Floats,
    posterior: Floats,
    to: tuple[int, int],
) -> None:
    """Add what the leaves at u:u + 8 give to a level; those after the last give nothing."""
    slot, leaf, offset, table = reach.slot, reach.leaf, graph.leaf_offset, graph.table
    a, p0 = slot[min(u, last)], table[offset[leaf[min(u, last)]] + level]
    b, p1 = slot[min(u + 1, last)], table[offset[leaf[min(u + 1, last)]] + level]
    c, p2 = slot[min(u + 2, last)], table[offset[leaf[min(u + 2, last)]] + level]
    d, p3 = slot[min(u + 3, last)], table[offset[leaf[min(u + 3, last)]] + level]
    e, p4 = slot[min(u + 4, last)], table[offset[leaf[min(u + 4, last)]] + level]
    f, p5 = slot[min(u + 5, last)], table[offset[leaf[min(u + 5, last)]] + level]
    g, p6 = slot[min(u + 6, last)], table[offset[leaf[min(u + 6, last)]] + level]
    h, p7 = slot[min(u + 7, last)], table[offset[leaf[min(u + 7, last)]] + level]
    p1, p2 = p1 if u + 1 <= last else 0.0, p2 if u + 2 <= last else 0.0
    p3, p4 = p3 if u + 3 <= last else 0.0, p4 if u + 4 <= last else 0.0
    p5, p6 = p5 if u + 5 <= last else 0.0, p6 if u + 6 <= last else 0.0
    p7 = p7 if u + 7 <= last else 0.0
    # Unsigned places are not counted from the end, so that loops over them become vectors.
    row, at = to[0], np.uint64(to[1])
    for r in range(np.uint64(flow.shape[1])):
        four = p0 * flow[a, r] + p1 * flow[b, r] + p2 * flow[c, r] + p3 * flow[d, r]
        more = p4 * flow[e, r] + p5 * flow[f, r] + p6 * flow[g, r] + p7 * flow[h, r]
        posterior[row, at + r] += four + more


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
    """Write the levels of a column where rows have a factor for each of them."""
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
                continue  # nothing flows here
            # The compiler may divide by way of 1 / total, which must not be infinite.
            lift = 2.0**200 if total < 2.0**-900 else 1.0
            total *= lift
            for k in range(n_levels):
                p = factors[at + k] * (lift * table[offset + k]) / total
                posterior[row + k, first + r] += p * flow[slot, r]


@inner
def _set_known(code: Floats, n_levels: int, posterior: Floats, row: int, first: int) -> None:
    """Give the known levels of a column probability one, and all others zero."""
    at = np.uint64(first)
    for k in range(n_levels):
        for r in range(np.uint64(code.size)):
            believed = posterior[row + k, at + r]
            certain = 1.0 if code[r] == k else 0.0
            posterior[row + k, at + r] = certain if code[r] >= 0.0 else believed
