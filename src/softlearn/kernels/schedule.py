"""Turn a circuit's graph into a program: which instruction when, and in which slot.

Children are visited depth first, the one that needs most slots first, and folded into their
parent one by one; an instruction writes over a value that nobody reads any more. A tree of any
width then needs about as many slots as its depth has branchings, so a block of rows stays in
cache.
"""

# ruff: noqa: ANN001, ANN202 - kernels are typed by compilation

from __future__ import annotations

import math

import numpy as np

from softlearn.kernels.compile import kernel
from softlearn.kernels.program import (
    CHECK,
    COMBINE,
    LEAVES_MULTIPLY,
    LEAVES_SET,
    MULTIPLY,
    REACH,
    SAFE,
    SCALE,
    TILE,
)

# Entries of Draft.count.
_INSTRUCTIONS, _USES, _TILES, _SEGMENTS, _SEGMENT_TILES, _SLOTS, _FREE = 0, 1, 2, 3, 4, 5, 6


@kernel
def fold_order(graph):
    """Return the edges that are folded into their owners one by one, in order of execution."""
    heavy = _heavy_edges(graph)
    order = np.empty(graph.child.size, np.int64)
    cursor = graph.edge_start[:-1] - 1  # one before the first edge stands for the heavy one
    entered = np.zeros(graph.is_sum.size, np.uint8)
    stack = np.empty(graph.is_sum.size + 1, np.int64)
    stack[0] = graph.is_sum.size - 1
    entered[stack[0]] = 1
    depth, n = 1, 0
    while depth > 0:
        node = stack[depth - 1]
        first, last = graph.edge_start[node], graph.edge_start[node + 1]
        edge = heavy[node] if cursor[node] < first else cursor[node]
        if edge < 0 or edge >= last:
            depth -= 1
            continue
        skip = graph.fused[edge] or (cursor[node] >= first and edge == heavy[node])
        below = graph.child[edge]
        if not skip and not entered[below]:
            entered[below] = 1  # its edges come first; then this edge is looked at again
            stack[depth] = below
            depth += 1
            continue
        if not skip:
            order[n] = edge
            n += 1
        cursor[node] += 1
    return order[:n]


@kernel
def _heavy_edges(graph):
    """Return for each node the edge to the child that needs most slots, -1 if all are fused."""
    need = np.ones(graph.is_sum.size, np.int64)
    heavy = np.full(graph.is_sum.size, -1, np.int64)
    for node in range(graph.is_sum.size):
        most, second = 0, 0
        for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
            below = 0 if graph.fused[e] else need[graph.child[e]]
            if below > most:
                most, second = below, most
                heavy[node] = e
            else:
                second = max(second, below)
        # With the neediest child first, the next one finds one slot taken.
        need[node] = max(1, most, second + 1 if second > 0 else 0)
    return heavy


@kernel
def write(graph, leaves, order, draft, reuse, tile_room):
    """Write the program of all folds into the draft and return the root's slot.

    With `reuse` false every value keeps the slot that `draft.slot` foresees as -2 - slot.
    `tile_room` is the number of tile leaves that one segment may use.
    """
    n_nodes = graph.is_sum.size
    left = np.zeros(n_nodes, np.int64)  # folds still to come, of each node
    readers = np.zeros(n_nodes, np.int64)
    for k in range(order.size):
        left[graph.owner[order[k]]] += 1
        readers[graph.child[order[k]]] += 1
    has_leaves = np.zeros(n_nodes, np.uint8)
    for e in range(graph.child.size):
        has_leaves[graph.owner[e]] |= graph.fused[e]
    pending = np.full(n_nodes, -1, np.int64)  # a first edge that waits for the second
    for k in range(order.size):
        edge = order[k]
        node = graph.owner[edge]
        left[node] -= 1
        if draft.slot[graph.child[edge]] < 0:
            _set_leaves(graph, leaves, draft, graph.child[edge], reuse, tile_room)
        if draft.slot[node] >= 0 or pending[node] >= 0:
            _fold(graph, draft, node, pending[node], edge, readers, reuse)
            pending[node] = -1
        elif left[node] > 0 and not has_leaves[node]:
            pending[node] = edge
        else:
            _first(graph, leaves, draft, node, edge, readers, reuse, tile_room)
        if left[node] == 0 and pending[node] < 0:
            _settle(draft, node)
    root = n_nodes - 1
    if draft.slot[root] < 0:
        _set_leaves(graph, leaves, draft, root, reuse, tile_room)
    _end_segment(draft)
    return draft.slot[root]


@kernel
def _first(graph, leaves, draft, node, edge, readers, reuse, tile_room):
    """Begin a product, or a sum with one branch, from its first folded child."""
    below = graph.child[edge]
    source = draft.slot[below]
    readers[below] -= 1
    draft.slot[node] = _destination(draft, node, source, readers[below] == 0, reuse)
    draft.low[node], draft.high[node] = draft.low[below], draft.high[below]
    if graph.is_sum[node]:
        _emit(draft, SCALE, draft.slot[node], source, 0, graph.weight[edge], 0.0)
        return
    if not _multiply_leaves(graph, leaves, draft, node, source, tile_room):
        _emit(draft, SCALE, draft.slot[node], source, 0, 1.0, 0.0)


@kernel
def _fold(graph, draft, node, first_edge, edge, readers, reuse):
    """Add or multiply one more child into a node; `first_edge` >= 0 is the other of the first two."""
    below = graph.child[edge]
    b = draft.slot[below]
    readers[below] -= 1
    if first_edge >= 0:
        other = graph.child[first_edge]
        a, weight_a = draft.slot[other], graph.weight[first_edge]
        readers[other] -= 1
        to = _destination(draft, node, a, readers[other] == 0, reuse)
        draft.low[node] = draft.low[other] + _log2(weight_a, np.inf)
        draft.high[node] = draft.high[other]
        draft.slot[node] = to
    else:
        to, a, weight_a = draft.slot[node], draft.slot[node], 1.0
    if graph.is_sum[node]:
        draft.low[node] = min(draft.low[node], draft.low[below] + _log2(graph.weight[edge], np.inf))
        draft.high[node] = max(draft.high[node], draft.high[below])
        _emit(draft, COMBINE, to, a, b, weight_a, graph.weight[edge])
    else:
        _make_room(draft, node, draft.low[below], draft.high[below])
        _emit(draft, MULTIPLY, to, a, b, 0.0, 0.0)
    if reuse and readers[below] == 0 and b != to:
        _release(draft, b)


@kernel
def _set_leaves(graph, leaves, draft, node, reuse, tile_room):
    """Give a slot to a leaf, or to a product that has only leaves below it."""
    draft.slot[node] = _destination(draft, node, -1, False, reuse)
    draft.low[node], draft.high[node] = 0.0, 0.0
    if graph.edge_start[node] < graph.edge_start[node + 1]:
        _multiply_leaves(graph, leaves, draft, node, -1, tile_room)
    else:
        start = draft.count[_USES]
        _use(leaves, draft, node, tile_room)
        _emit_leaves(draft, node, -1, start)
        draft.low[node], draft.high[node] = leaves.low[node], leaves.high[node]
    _settle(draft, node)


@kernel
def _multiply_leaves(graph, leaves, draft, node, source, tile_room):
    """Multiply all fused leaves of a product; `source` is the slot to start from or -1."""
    start = draft.count[_USES]
    written = False
    for wanted in range(TILE + 1):  # leaves of one source stand together
        for e in range(graph.edge_start[node], graph.edge_start[node + 1]):
            leaf = graph.child[e]
            if not graph.fused[e] or leaves.source[leaf] != wanted:
                continue
            full = wanted == TILE and draft.count[_SEGMENT_TILES] == tile_room
            if full or _too_far(draft, node, leaves.low[leaf], leaves.high[leaf]):
                if draft.count[_USES] > start:
                    _emit_leaves(draft, node, draft.slot[node] if written else source, start)
                    written, start = True, draft.count[_USES]
                if written or source < 0:
                    _make_room(draft, node, leaves.low[leaf], leaves.high[leaf])
            _use(leaves, draft, leaf, tile_room)
            draft.low[node] += leaves.low[leaf]
            draft.high[node] += leaves.high[leaf]
    if draft.count[_USES] > start:
        _emit_leaves(draft, node, draft.slot[node] if written else source, start)
        written = True
    return written


@kernel
def _use(leaves, draft, leaf, tile_room):
    """Note that the next instruction reads a leaf."""
    place = leaves.place[leaf]
    if leaves.source[leaf] == TILE:
        if draft.count[_SEGMENT_TILES] == tile_room:
            _end_segment(draft)
        place = draft.count[_SEGMENT_TILES]
        draft.tile[draft.count[_TILES]] = leaf
        draft.count[_TILES] += 1
        draft.count[_SEGMENT_TILES] += 1
    draft.use[draft.count[_USES]] = leaf
    draft.place[draft.count[_USES]] = place
    draft.count[_USES] += 1


@kernel
def _emit_leaves(draft, node, source, start):
    op = LEAVES_SET if source < 0 else LEAVES_MULTIPLY
    at = draft.count[_INSTRUCTIONS]
    _emit(draft, op, draft.slot[node], max(source, 0), 0, 0.0, 0.0)
    draft.code[at, 4] = start
    draft.code[at, 5] = draft.count[_USES]


@kernel
def _emit(draft, op, to, a, b, weight_a, weight_b):
    at = draft.count[_INSTRUCTIONS]
    draft.code[at, 0], draft.code[at, 1] = op, to
    draft.code[at, 2], draft.code[at, 3] = a, b
    draft.code[at, 4], draft.code[at, 5] = 0, 0
    draft.weight[at, 0], draft.weight[at, 1] = weight_a, weight_b
    draft.count[_INSTRUCTIONS] += 1


@kernel
def _end_segment(draft):
    at = draft.count[_SEGMENTS]
    draft.segment[at, 0] = draft.count[_INSTRUCTIONS]
    draft.segment[at, 1] = draft.count[_TILES]
    draft.count[_SEGMENTS] += 1
    draft.count[_SEGMENT_TILES] = 0


@kernel
def _too_far(draft, node, low, high):
    return draft.low[node] + low < -REACH or draft.high[node] + high > REACH


@kernel
def _make_room(draft, node, low, high):
    """Check a product's value before a factor that could carry it out of range."""
    if _too_far(draft, node, low, high):
        _emit(draft, CHECK, draft.slot[node], 0, 0, 0.0, 0.0)
        draft.low[node] = max(draft.low[node], -SAFE)
        draft.high[node] = min(draft.high[node], SAFE)


@kernel
def _settle(draft, node):
    """Finish a node: whoever reads it finds it within the safe range."""
    if draft.low[node] < -SAFE or draft.high[node] > SAFE:
        _emit(draft, CHECK, draft.slot[node], 0, 0, 0.0, 0.0)
        draft.low[node] = max(draft.low[node], -SAFE)
        draft.high[node] = min(draft.high[node], SAFE)


@kernel
def _destination(draft, node, source, source_is_free, reuse):
    """Return the slot of a node: its own, its child's, one given back, or a new one."""
    if not reuse:
        return -2 - draft.slot[node]
    if source_is_free:
        return source
    if draft.count[_FREE] > 0:
        draft.count[_FREE] -= 1
        return draft.free[draft.count[_FREE]]
    draft.count[_SLOTS] += 1
    return draft.count[_SLOTS] - 1


@kernel
def _release(draft, slot):
    draft.free[draft.count[_FREE]] = slot
    draft.count[_FREE] += 1


@kernel
def _log2(weight, of_zero):
    return math.log2(weight) if weight > 0.0 else of_zero
