"""Add up the sufficient statistics of leaves, block by block."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.kernels.circuit.program import Batch, Graph, LeafReach, LeafTotals
from softlearn.kernels.compile import inner, kernel

_FEW = 4  # codes whose sums are added up at once
_DOMINATED = 2.0**-20  # a share of pairs this small is lost in a difference of squares


@kernel
def add_leaves(
    graph: Graph,
    reach: LeafReach,
    batch: Batch,
    codes: Ids,
    first: int,
    flow: Floats,
    mine: Floats,
    totals: LeafTotals,
) -> None:
    """Add a block of rows, the first of which is `first`, to the totals of all leaves.

    `codes` is (codings, rows), -1 where no code is known. `mine` is scratch, (rows,).
    """
    columns, coding, set_start = graph.leaf_column, reach.coding, batch.set_start
    rest_start = reach.rest_start
    for leaf in range(columns.size):
        has_factors = reach.by_factors[leaf] != 0 and set_start[columns[leaf]] >= 0
        if not has_factors and rest_start[coding[leaf]] < 0 and 0 < reach.n_codes[leaf] <= _FEW:
            if reach.n_codes[leaf] == 2:
                _add_two_codes(reach, leaf, codes, first, flow, totals.codes)
            else:
                _add_few_codes(reach, leaf, codes, first, flow, totals.codes)
            continue
        _gather(reach, leaf, flow, mine)
        if coding[leaf] < 0:
            _add_numbers(batch.values, columns[leaf], leaf, first, reach, mine, totals)
            continue
        _add_codes(codes, leaf, first, reach, mine, totals)
        if has_factors:
            _add_factors(graph, batch, leaf, first, reach, mine, totals)


@inner
def _add_two_codes(
    reach: LeafReach, leaf: int, codes: Ids, first: int, flow: Floats, weights: Floats
) -> None:
    """Add the flow of a leaf with two codes, both sums at once: additions would wait in turn."""
    slot, mine, to = reach.slot, reach.coding[leaf], reach.code_start[leaf]
    at, n_rows = np.uint64(first), np.uint64(flow.shape[1])  # unsigned: loops become vectors
    for place in range(reach.start[leaf], reach.start[leaf + 1]):
        own, zeros, ones = slot[place], 0.0, 0.0
        for r in range(n_rows):
            code, w = codes[mine, at + r], flow[own, r]
            zeros += w if code == 0 else 0.0
            ones += w if code == 1 else 0.0
        weights[to] += zeros
        weights[to + 1] += ones


@inner
def _add_few_codes(
    reach: LeafReach, leaf: int, codes: Ids, first: int, flow: Floats, weights: Floats
) -> None:
    """Add the flow of a leaf with up to four codes, likewise."""
    slot, mine, to, n = reach.slot, reach.coding[leaf], reach.code_start[leaf], reach.n_codes[leaf]
    at, n_rows = np.uint64(first), np.uint64(flow.shape[1])
    for place in range(reach.start[leaf], reach.start[leaf + 1]):
        own, zeros, ones, twos, threes = slot[place], 0.0, 0.0, 0.0, 0.0
        for r in range(n_rows):
            code, w = codes[mine, at + r], flow[own, r]
            zeros += w if code == 0 else 0.0
            ones += w if code == 1 else 0.0
            twos += w if code == 2 else 0.0
            threes += w if code == 3 else 0.0
        sums = (zeros, ones, twos, threes)
        for k in range(n):
            weights[to + k] += sums[k]


@inner
def _gather(reach: LeafReach, leaf: int, flow: Floats, mine: Floats) -> None:
    """Write the flow of one leaf, from all its places."""
    start, stop = reach.start[leaf], reach.start[leaf + 1]
    slot = reach.slot[start]
    for r in range(mine.size):
        mine[r] = flow[slot, r]
    for place in range(start + 1, stop):
        slot = reach.slot[place]
        for r in range(mine.size):
            mine[r] += flow[slot, r]


@inner
def _add_codes(
    codes: Ids, leaf: int, first: int, reach: LeafReach, mine: Floats, totals: LeafTotals
) -> None:
    coding, start = reach.coding[leaf], reach.code_start[leaf]
    rest_start, weights, is_rest = reach.rest_start[coding], totals.codes, reach.is_rest
    if rest_start < 0:
        for r in range(mine.size):
            code = codes[coding, first + r]
            if code >= 0:
                weights[start + code] += mine[r]
        return
    weight, pairs = 0.0, 0.0
    for r in range(mine.size):
        code = codes[coding, first + r]
        if code >= 0:
            weights[start + code] += mine[r]
            rest = mine[r] if is_rest[rest_start + code] else 0.0
            pairs += 2.0 * weight * rest
            weight += rest
    _add_pairs(totals, leaf, weight, pairs)


@inner
def _add_pairs(totals: LeafTotals, leaf: int, weight: float, pairs: float) -> None:
    totals.pairs[leaf] += pairs + 2.0 * totals.weight[leaf] * weight
    totals.weight[leaf] += weight


@inner
def _add_factors(
    graph: Graph,
    batch: Batch,
    leaf: int,
    first: int,
    reach: LeafReach,
    mine: Floats,
    totals: LeafTotals,
) -> None:
    """Divide the flow of rows with a factor for each code; factors of 1 have no effect."""
    column, offset, start = graph.leaf_column[leaf], graph.leaf_offset[leaf], reach.code_start[leaf]
    n_codes, rest_start = reach.n_codes[leaf], reach.rest_start[reach.coding[leaf]]
    factors, weights = batch.set_factors, totals.codes
    for r in range(mine.size):
        x = batch.values[column, first + r]
        if x == x or mine[r] == 0.0:
            continue
        at = batch.set_start[column] + (first + r) * n_codes
        total, says_nothing = 0.0, True
        for k in range(n_codes):
            total += factors[at + k] * graph.table[offset + k]
            says_nothing &= factors[at + k] == 1.0
        if says_nothing or total == 0.0:
            continue
        # The compiler may divide by way of 1 / total, which must not be infinite.
        lift = 2.0**200 if total < 2.0**-900 else 1.0
        total *= lift
        rest = 0.0
        for k in range(n_codes):
            part = mine[r] * (factors[at + k] * (lift * graph.table[offset + k]) / total)
            weights[start + k] += part
            if rest_start >= 0 and reach.is_rest[rest_start + k]:
                rest += part
        _add_pairs(totals, leaf, rest, 0.0)


@inner
def _add_numbers(
    values: Floats,
    column: int,
    leaf: int,
    first: int,
    reach: LeafReach,
    mine: Floats,
    totals: LeafTotals,
) -> None:
    """Merge the block's centred moments of a column of numbers into those so far."""
    centre, n_rows = reach.centre[leaf], mine.size
    weight, squares, first_power = 0.0, 0.0, 0.0
    for r in range(n_rows):
        x = values[column, first + r]
        w = mine[r] if x == x else 0.0
        gap = x - centre if x == x else 0.0
        weight += w
        squares += w * w
        first_power += w * gap
    if weight == 0.0:
        return
    offset, scatter = first_power / weight, 0.0
    for r in range(n_rows):
        x = values[column, first + r]
        gap = x - centre - offset if x == x else 0.0
        scatter += mine[r] * gap * gap
    pairs = weight * weight - squares
    if pairs < _DOMINATED * weight * weight:
        pairs, before = 0.0, 0.0
        for r in range(n_rows):
            w = mine[r] if values[column, first + r] == values[column, first + r] else 0.0
            pairs += 2.0 * before * w
            before += w
    known = totals.weight[leaf]
    total = known + weight
    apart = offset - totals.offset[leaf]
    _add_pairs(totals, leaf, weight, pairs)
    totals.offset[leaf] += apart * (weight / total)
    totals.scatter[leaf] += scatter + apart * apart * (known * (weight / total))
