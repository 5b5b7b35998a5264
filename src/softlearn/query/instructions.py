"""Compile a structure to instructions: every fold, and every run of leaves, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Ids, Kinds, Offsets
from softlearn.circuit import LEAF, SUM, Structure
from softlearn.kernels.circuit.program import (
    COMBINE,
    DENSE,
    LEAVES_MULTIPLY,
    LEAVES_SET,
    MULTIPLY,
    SCALE,
)
from softlearn.query.dense import DenseBlocks

# Instead of an edge: a constant weight. They are positions from the end.
ONE: Final = -1
ZERO: Final = -2
_NONE: Final = -1  # instead of a node or a run


class LeafRuns(NamedTuple):
    """Leaves that one instruction multiplies together: a product's, or a leaf of its own."""

    leaf: Ids  # (uses,)   leaves, run after run
    node: AnyArray  # (runs,)   the product, or the leaf itself; ascending
    start: AnyArray  # (runs + 1,) in `leaf`


@dataclass(frozen=True)
class Instructions:
    """Instructions on nodes; slots come later. All arrays are (instructions,)."""

    op: Kinds
    to: Offsets
    a: Offsets  # -1 for none
    b: Offsets  # -1 for none; the number of a block of sums
    edge_a: Offsets  # the edge whose weight a is multiplied by, or ONE or ZERO
    edge_b: Offsets
    run: Offsets  # position in the leaf runs, -1 for none

    @property
    def final(self) -> Bools:
        """Whether an instruction is the last one that writes its node."""
        _, from_the_end = np.unique(self.to[::-1], return_index=True)
        last = np.zeros(self.to.size, dtype=bool)
        last[self.to.size - 1 - from_the_end] = True
        return last


def fused_edges(structure: Structure) -> Bools:
    """Return which edges lead from a product to a leaf: those leaves need no slot."""
    to_leaf = structure.kind[structure.child] == LEAF
    fused: Bools = to_leaf & (structure.kind[structure.edge_owner] != SUM)
    return fused


def leaf_runs(structure: Structure, source: Kinds) -> LeafRuns:
    """Return the leaves of each product, those whose values come from one source together.

    A leaf below a sum, or at the root, is a run of its own.
    """
    fused = fused_edges(structure)
    alone = np.zeros(structure.n_nodes, dtype=bool)
    alone[structure.child[~fused]] = True
    alone[structure.root] = True
    singles = np.flatnonzero(alone[: structure.n_leaves])
    leaf = np.concatenate([singles, structure.child[fused]])
    node = np.concatenate([singles, structure.edge_owner[fused]])
    order = np.lexsort((source[leaf], node))
    leaf, node = leaf[order], node[order]
    start = np.flatnonzero(np.concatenate([[True], node[1:] != node[:-1]]))
    return LeafRuns(leaf.astype(np.int32), node[start], np.append(start, leaf.size))


def instructions(
    structure: Structure, order: Offsets, runs: LeafRuns, dense: DenseBlocks
) -> Instructions:
    """Return all instructions, given the edges in the order in which they are folded."""
    folds = _Folds(structure, order, dense)
    parts = [folds.two_by_two(), folds.one_more(), folds.alone(), folds.together(dense)]
    parts += [folds.with_leaves(runs), folds.only_leaves(runs)]
    steps = _Steps(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    sequence = np.lexsort((steps.part, steps.fold))
    op, *rest = (column[sequence] for column in steps[2:])
    return Instructions(op.astype(np.uint8), *rest)


class _Steps(NamedTuple):
    """Instructions before sorting; all arrays are (instructions,)."""

    fold: AnyArray  # the fold that an instruction belongs to
    part: AnyArray  # 0 the leaves of the child, 1 the fold itself
    op: AnyArray
    to: AnyArray
    a: AnyArray
    b: AnyArray
    edge_a: AnyArray
    edge_b: AnyArray
    run: AnyArray


class _Folds:
    """The folds of a circuit in order, and the instructions that each kind of fold needs."""

    def __init__(self, structure: Structure, order: Offsets, dense: DenseBlocks) -> None:
        self.edge = order
        self.node = structure.edge_owner[order].astype(np.int64)
        self.child = structure.child[order].astype(np.int64)
        self.is_sum = structure.kind[self.node] == SUM
        self.root = structure.root
        self.when = np.arange(order.size)
        fused = fused_edges(structure)
        has_leaves = np.zeros(structure.n_nodes, dtype=bool)
        has_leaves[structure.edge_owner[fused]] = True
        self.has_leaves = has_leaves[self.node]
        by_node = np.argsort(self.node, kind="stable")
        first = np.concatenate([[True], np.diff(self.node[by_node]) != 0])[: order.size]
        group_start = np.maximum.accumulate(np.where(first, self.when, 0))
        self.rank = np.empty(order.size, np.int64)
        self.rank[by_node] = self.when - group_start
        self.partner = np.empty(order.size, np.int64)  # the fold before, of the same node
        self.partner[by_node] = np.roll(by_node, 1)
        self.size = np.bincount(self.node, minlength=structure.n_nodes)[self.node]
        self.block = dense.by_node(structure.n_nodes)[1][self.node]  # -1 for a sum by itself

    def two_by_two(self) -> _Steps:
        """Return the instructions that combine the first two children of a node without leaves."""
        which = np.flatnonzero((self.rank == 1) & ~self.has_leaves & (self.block < 0))
        first = self.partner[which]
        op = np.where(self.is_sum[which], COMBINE, MULTIPLY)
        operands = (self.child[first], self.child[which])
        return self._steps(which, op, operands, (self.edge[first], self.edge[which]))

    def one_more(self) -> _Steps:
        """Return the instructions that add a further child to a node that already has a value."""
        further = (self.rank > 1) | ((self.rank == 1) & self.has_leaves)
        which = np.flatnonzero(further & (self.block < 0))
        op = np.where(self.is_sum[which], COMBINE, MULTIPLY)
        operands = (self.node[which], self.child[which])
        return self._steps(which, op, operands, (np.full(which.size, ONE), self.edge[which]))

    def alone(self) -> _Steps:
        """Return the instructions that copy the only child of a node."""
        which = np.flatnonzero((self.size == 1) & ~self.has_leaves)
        op = np.full(which.size, SCALE)
        operands = (self.child[which], np.full(which.size, _NONE))
        return self._steps(which, op, operands, (self.edge[which], np.full(which.size, ZERO)))

    def together(self, dense: DenseBlocks) -> _Steps:
        """Return the instructions of blocks of sums, each when its first sum would be complete.

        By then all children are evaluated, and no instruction has read one of the sums.
        """
        complete = np.flatnonzero((self.rank == self.size - 1) & (self.block >= 0))
        block, first = np.unique(self.block[complete], return_index=True)
        which, none = complete[first], np.full(block.size, ZERO)
        itself, op = np.ones(block.size, np.int64), np.full(block.size, DENSE)
        nodes = (dense.first_sum[block], dense.first_child[block], block)
        return _Steps(which, itself, op, *nodes, none, none, np.full(block.size, _NONE))

    def with_leaves(self, runs: LeafRuns) -> _Steps:
        """Return the instructions that multiply a product's leaves into its first child."""
        which = np.flatnonzero((self.rank == 0) & self.has_leaves)
        return self._runs(runs, self.node[which], which, self.child[which])

    def only_leaves(self, runs: LeafRuns) -> _Steps:
        """Return the instructions that compute a leaf, or product of leaves, before first use."""
        nodes, when = np.unique(self.child, return_index=True)
        folded = np.isin(nodes, self.node)
        nodes, when = nodes[~folded], when[~folded]
        if self.when.size == 0:
            nodes, when = np.array([self.root]), np.array([0])
        return self._runs(runs, nodes, when, np.full(nodes.size, _NONE))

    def _steps(
        self,
        which: AnyArray,
        op: AnyArray,
        operands: tuple[AnyArray, AnyArray],
        edges: tuple[AnyArray, AnyArray],
    ) -> _Steps:
        """Return one instruction for each of the folds."""
        itself, none = np.ones(which.size, np.int64), np.full(which.size, _NONE)
        return _Steps(which, itself, op, self.node[which], *operands, *edges, none)

    def _runs(self, runs: LeafRuns, nodes: AnyArray, when: AnyArray, source: AnyArray) -> _Steps:
        """Return the instruction for the run of each node; it reads ``source``, or nothing."""
        op = np.where(source < 0, LEAVES_SET, LEAVES_MULTIPLY)
        part = np.where(source < 0, 0, 1)
        none, zero = np.full(nodes.size, _NONE), np.full(nodes.size, ZERO)
        run = np.searchsorted(runs.node, nodes)
        return _Steps(when, part, op, nodes, source, none, zero, zero, run)
