"""Write down the instructions of a circuit: every fold, and every run of leaves, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats, Ids, Kinds, Offsets
from softlearn.circuit import LEAF, SUM, Circuit
from softlearn.kernels.circuit.program import (
    COMBINE,
    LEAF_REACH,
    LEAVES_MULTIPLY,
    LEAVES_SET,
    MULTIPLY,
    PARABOLA,
    SCALE,
)


class LeafSizes(NamedTuple):
    """What the plan knows of each leaf beforehand."""

    source: Kinds  # (leaves,) BINARY, TABLE, PARABOLA or TILE
    low: Floats  # (leaves,)  log2 of the smallest value that is not zero
    high: Floats  # (leaves,)  log2 of the largest value


class LeafRuns(NamedTuple):
    """Leaves that one instruction multiplies together; the runs of a node follow each other."""

    leaf: Ids  # (uses,)   leaves, run after run
    node: AnyArray  # (runs,)   the product, or the leaf itself
    start: AnyArray  # (runs + 1,) in `leaf`
    low: Floats  # (runs,)
    high: Floats  # (runs,)


@dataclass(frozen=True)
class Instructions:
    """Instructions on nodes; slots come later. All arrays are (instructions,)."""

    op: Kinds
    to: Offsets
    a: Offsets  # -1 for none
    b: Offsets  # -1 for none
    weight_a: Floats
    weight_b: Floats
    run: Offsets  # position in the leaf runs, -1 for none

    @property
    def final(self) -> Bools:
        """Whether an instruction is the last one that writes its node."""
        _, from_the_end = np.unique(self.to[::-1], return_index=True)
        last = np.zeros(self.to.size, dtype=bool)
        last[self.to.size - 1 - from_the_end] = True
        return last


def fused_edges(circuit: Circuit) -> Bools:
    """Return which edges lead from a product to a leaf: those leaves need no slot."""
    fused: Bools = (circuit.kind[circuit.child] == LEAF) & (circuit.kind[circuit.edge_owner] != SUM)
    return fused


def leaf_runs(circuit: Circuit, sizes: LeafSizes) -> LeafRuns:
    """Cut the leaves of each product into runs that cannot leave the range of float64.

    A leaf below a sum, or at the root, is a run of its own.
    """
    fused = fused_edges(circuit)
    alone = np.zeros(circuit.n_nodes, dtype=bool)
    alone[circuit.child[~fused]] = True
    alone[circuit.root] = True
    singles = np.flatnonzero(alone[: circuit.n_leaves])
    leaf = np.concatenate([singles, circuit.child[fused]])
    node = np.concatenate([singles, circuit.edge_owner[fused]])
    order = np.lexsort((sizes.source[leaf], node))  # leaves of one source stand together
    leaf, node = leaf[order], node[order]
    low, high = sizes.low[leaf], sizes.high[leaf]
    # A node's parabolas become one factor, and so do its tile leaves: the last counts for all.
    source = sizes.source[leaf]
    joined = (source[1:] == source[:-1]) & (source[1:] >= PARABOLA) & (node[1:] == node[:-1])
    low[:-1][joined] = high[:-1][joined] = 0.0
    size = np.maximum(np.abs(low), np.abs(high))
    before = np.cumsum(size) - size
    new_node = np.concatenate([[True], node[1:] != node[:-1]])
    node_start = np.maximum.accumulate(np.where(new_node, np.arange(node.size), 0))
    part = ((before - before[node_start]) // LEAF_REACH).astype(np.int64)
    new_run = new_node | np.concatenate([[True], part[1:] != part[:-1]])
    start = np.flatnonzero(new_run)
    return LeafRuns(
        leaf.astype(np.int32),
        node[start],
        np.append(start, leaf.size),
        np.add.reduceat(low, start),
        np.add.reduceat(high, start),
    )


def instructions(circuit: Circuit, order: Offsets, runs: LeafRuns) -> Instructions:
    """Return all instructions, given the edges in the order in which they are folded."""
    events = _Folds(circuit, order)
    parts = [events.two_by_two(), events.one_more(), events.alone()]
    parts += [events.with_leaves(runs), events.only_leaves(runs)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    # Sort by the fold, then "leaves of the child" before "the fold itself", then run by run.
    key, sub, step = columns[:3]
    sequence = np.lexsort((step, sub, key))
    op, to, a, b, weight_a, weight_b, run = (column[sequence] for column in columns[3:])
    return Instructions(op.astype(np.uint8), to, a, b, weight_a, weight_b, run)


class _Folds:
    """The folds of a circuit in order, and the instructions that each kind of fold needs."""

    def __init__(self, circuit: Circuit, order: Offsets) -> None:
        self.node = circuit.edge_owner[order].astype(np.int64)
        self.child = circuit.child[order].astype(np.int64)
        self.weight = circuit.weight[order]
        self.is_sum = circuit.kind[self.node] == SUM
        self.root = circuit.root
        self.when = np.arange(order.size)
        fused = fused_edges(circuit)
        has_leaves = np.zeros(circuit.n_nodes, dtype=bool)
        has_leaves[circuit.edge_owner[fused]] = True
        self.has_leaves = has_leaves[self.node]
        by_node = np.argsort(self.node, kind="stable")
        first = np.concatenate([[True], np.diff(self.node[by_node]) != 0])[: order.size]
        group_start = np.maximum.accumulate(np.where(first, self.when, 0))
        self.rank = np.empty(order.size, np.int64)
        self.rank[by_node] = self.when - group_start
        self.partner = np.empty(order.size, np.int64)  # the fold before, of the same node
        self.partner[by_node] = np.roll(by_node, 1)
        self.size = np.bincount(self.node, minlength=circuit.n_nodes)[self.node]

    def two_by_two(self) -> list[AnyArray]:
        """Return what joins the first two children of a node without leaves."""
        which = np.flatnonzero((self.rank == 1) & ~self.has_leaves)
        first = self.partner[which]
        op = np.where(self.is_sum[which], COMBINE, MULTIPLY)
        operands = (self.child[first], self.child[which])
        return self._rows(which, op, operands, (self.weight[first], self.weight[which]))

    def one_more(self) -> list[AnyArray]:
        """Return what folds a further child into a node that has a value already."""
        which = np.flatnonzero((self.rank > 1) | ((self.rank == 1) & self.has_leaves))
        op = np.where(self.is_sum[which], COMBINE, MULTIPLY)
        ones = np.ones(which.size)
        operands = (self.node[which], self.child[which])
        return self._rows(which, op, operands, (ones, self.weight[which]))

    def alone(self) -> list[AnyArray]:
        """Return what passes on the only child of a node."""
        which = np.flatnonzero((self.size == 1) & ~self.has_leaves)
        none = np.full(which.size, -1)
        op = np.full(which.size, SCALE)
        return self._rows(which, op, (self.child[which], none), (self.weight[which], none * 0.0))

    def with_leaves(self, runs: LeafRuns) -> list[AnyArray]:
        """Return what multiplies a product's leaves into its first child."""
        which = np.flatnonzero((self.rank == 0) & self.has_leaves)
        return self._runs(runs, self.node[which], which, self.child[which], sub=1)

    def only_leaves(self, runs: LeafRuns) -> list[AnyArray]:
        """Return what computes a leaf, or a product of leaves, before it is first read."""
        nodes, when = np.unique(self.child, return_index=True)
        folded = np.isin(nodes, self.node)
        nodes, when = nodes[~folded], when[~folded]
        if self.when.size == 0:
            nodes, when = np.array([self.root]), np.array([0])
        return self._runs(runs, nodes, when, np.full(nodes.size, -1), sub=0)

    def _rows(
        self,
        which: AnyArray,
        op: AnyArray,
        operands: tuple[AnyArray, AnyArray],
        weights: tuple[AnyArray, AnyArray],
    ) -> list[AnyArray]:
        """Return one instruction for each of the folds."""
        ones, none = np.ones(which.size, np.int64), np.full(which.size, -1)
        return [which, ones, ones * 0, op, self.node[which], *operands, *weights, none]

    def _runs(
        self, runs: LeafRuns, nodes: AnyArray, when: AnyArray, source: AnyArray, sub: int
    ) -> list[AnyArray]:
        """Return one instruction for each run of the nodes; the first one reads ``source``."""
        first = np.searchsorted(runs.node, nodes)
        count = np.searchsorted(runs.node, nodes, side="right") - first
        owner = np.repeat(np.arange(nodes.size), count)
        step = np.arange(owner.size) - np.repeat(np.cumsum(count) - count, count)
        a = np.where(step == 0, source[owner], nodes[owner])
        op = np.where(a < 0, LEAVES_SET, LEAVES_MULTIPLY)
        none, zero = np.full(owner.size, -1), np.zeros(owner.size)
        subs = np.full(owner.size, sub)
        run = first[owner] + step
        return [when[owner], subs, step, op, nodes[owner], a, none, zero, zero, run]
