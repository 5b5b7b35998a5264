"""Schedule the evaluation of a circuit: order, slots, and where values are checked."""

from __future__ import annotations

import math

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.kernels.circuit.program import COMBINE, DENSE, LEAVES_SET, MULTIPLY, REACH, SAFE
from softlearn.kernels.compile import allocating_inner, allocating_kernel, kernel


@allocating_kernel
def fold_order(edge_start: Offsets, child: Ids, fused: Bools) -> Offsets:
    """Return the edges that are folded into their owners one by one, in order of execution.

    Depth first, the child that needs most slots first: a tree then needs about as many slots as
    there are branchings on a path. Fused edges are left out.
    """
    n_nodes = edge_start.size - 1
    heavy = _heavy_edges(edge_start, child, fused)
    order = np.empty(child.size, np.int64)
    cursor = edge_start - 1  # one before a node's first edge stands for its heavy edge
    entered = np.zeros(n_nodes, np.uint8)
    stack = np.empty(n_nodes + 1, np.int64)
    stack[0] = n_nodes - 1
    depth, n = 1, 0
    while depth > 0:
        node = stack[depth - 1]
        at_heavy = cursor[node] < edge_start[node]
        edge = heavy[node] if at_heavy else cursor[node]
        if edge < 0 or edge >= edge_start[node + 1]:
            depth -= 1
            continue
        skip = fused[edge] or (edge == heavy[node] and not at_heavy)
        if not skip and not entered[child[edge]]:
            entered[child[edge]] = 1  # its edges come first; then this edge is looked at again
            stack[depth] = child[edge]
            depth += 1
            continue
        if not skip:
            order[n] = edge
            n += 1
        cursor[node] += 1
    return order[:n]


@allocating_inner
def _heavy_edges(edge_start: Offsets, child: Ids, fused: Bools) -> Offsets:
    """Return for each node the edge to the child that needs most slots, -1 if all are fused."""
    n_nodes = edge_start.size - 1
    need = np.ones(n_nodes, np.int64)
    heavy = np.empty(n_nodes, np.int64)
    for node in range(n_nodes):
        heavy[node] = -1
        most, second = 0, 0
        for e in range(edge_start[node], edge_start[node + 1]):
            below = 0 if fused[e] else need[child[e]]
            if below > most:
                most, second = below, most
                heavy[node] = e
            else:
                second = max(second, below)
        # With the neediest child first, the next one finds one slot taken.
        need[node] = max(1, most, second + 1 if second > 0 else 0)
    return heavy


@allocating_kernel
def assign_slots(to: Offsets, a: Offsets, b: Offsets, n_nodes: int) -> tuple[Offsets, int]:
    """Return the slot of each instruction's (to, a, b) and the number of slots.

    The arguments name nodes, -1 for none. A slot is taken again when its last reader has run,
    first of all by that reader itself.
    """
    readers = np.zeros(n_nodes, np.int64)
    for i in range(to.size):
        if a[i] >= 0 and a[i] != to[i]:
            readers[a[i]] += 1
        if b[i] >= 0:
            readers[b[i]] += 1
    slot = np.empty(n_nodes, np.int32)
    for node in range(n_nodes):
        slot[node] = -1
    free = np.empty(n_nodes, np.int32)
    slots = np.zeros((3, to.size), np.int64)
    n_slots, n_free = 0, 0
    for i in range(to.size):
        target = slot[to[i]]
        for side in range(2):
            node = b[i] if side else a[i]
            if node < 0 or node == to[i]:
                continue
            slots[1 + side, i] = slot[node]
            readers[node] -= 1
            if readers[node] == 0 and target < 0:
                target = slot[node]
            elif readers[node] == 0 and slot[node] != target:
                free[n_free] = slot[node]
                n_free += 1
        if target < 0 and n_free > 0:
            n_free -= 1
            target = free[n_free]
        elif target < 0:
            target = n_slots
            n_slots += 1
        slot[to[i]] = target
        slots[0, i] = target
        if a[i] == to[i]:
            slots[1, i] = target
    return slots, n_slots


@allocating_kernel
def place_checks(
    op: Kinds,
    to: Offsets,
    a: Offsets,
    b: Offsets,
    weight_a: Floats,
    weight_b: Floats,
    leaf_start: Offsets,
    leaf_low: Floats,
    leaf_high: Floats,
    final: Bools,
    n_nodes: int,
    dense: Offsets,
    weight: Floats,
) -> tuple[Kinds, Kinds]:
    """Return the instructions after which, and the leaves before which, values are renormalised.

    ``low`` and ``high`` are bounds, in bits, of every value that is not zero; a product is checked
    before a factor that could move it out of range, and every node when it is complete.
    """
    n = op.size
    check, leaf_check = np.zeros(n, np.uint8), np.zeros(leaf_low.size, np.uint8)
    low, high = np.zeros(n), np.zeros(n)  # bounds of what an instruction wrote
    wrote = np.zeros(n_nodes, np.int64)  # the instruction that wrote each node last
    for i in range(n):
        if op[i] == COMBINE:
            x, y = wrote[a[i]], wrote[b[i]]
            low_x = low[x] + math.log2(weight_a[i]) if weight_a[i] > 0.0 else np.inf
            low_y = low[y] + math.log2(weight_b[i]) if weight_b[i] > 0.0 else np.inf
            low[i], high[i] = min(low_x, low_y), max(high[x], high[y])
        elif op[i] == MULTIPLY:
            x, y = wrote[a[i]], wrote[b[i]]
            if low[x] + low[y] < -REACH or high[x] + high[y] > REACH:
                check[x] = 1
                low[x], high[x] = max(low[x], -SAFE), min(high[x], SAFE)
            low[i], high[i] = low[x] + low[y], high[x] + high[y]
        elif op[i] == DENSE:
            low[i], high[i] = _dense_bounds(dense[b[i]], weight, a[i], wrote, low, high)
            for k in range(1, dense[b[i], 1]):
                wrote[to[i] + k] = i
        elif op[i] != LEAVES_SET:
            low[i], high[i] = low[wrote[a[i]]], high[wrote[a[i]]]
        for j in range(leaf_start[i], leaf_start[i + 1]):
            if low[i] + leaf_low[j] < -REACH or high[i] + leaf_high[j] > REACH:
                leaf_check[j] = 1
                low[i], high[i] = max(low[i], -SAFE), min(high[i], SAFE)
            low[i] += leaf_low[j]
            high[i] += leaf_high[j]
        if final[i] and (low[i] < -SAFE or high[i] > SAFE):
            check[i] = 1
            low[i], high[i] = max(low[i], -SAFE), min(high[i], SAFE)
        wrote[to[i]] = i
    return check, leaf_check


@kernel
def _dense_bounds(
    block: Offsets, weight: Floats, first_child: int, wrote: Offsets, low: Floats, high: Floats
) -> tuple[float, float]:
    """Return bounds of all sums of a block that are not zero."""
    first, n_sums, n_children = block[0], block[1], block[2]
    lowest, highest, smallest = np.inf, -np.inf, 1.0
    for e in range(first, first + n_sums * n_children):
        if weight[e] > 0.0:
            smallest = min(smallest, weight[e])
    for child in range(first_child, first_child + n_children):
        lowest, highest = min(lowest, low[wrote[child]]), max(highest, high[wrote[child]])
    return lowest + math.log2(smallest), highest
