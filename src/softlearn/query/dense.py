"""Find blocks of sums that all have the same children, which are evaluated together."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from softlearn.arrays import Ids, Offsets
from softlearn.circuit import SUM, Structure

# Sums and children that a block has at least. Every node of a circuit with blocks keeps a slot, and
# blocks of eight states of a hidden tree take as long as sums one by one.
FEWEST: Final = 8


class DenseBlocks(NamedTuple):
    """Blocks of sums; all arrays are (blocks,)."""

    first_sum: Offsets  # the sums of a block have numbers behind each other
    n_sums: Offsets
    first_child: Offsets  # and so have its children
    n_children: Offsets
    first_edge: Offsets

    @property
    def n(self) -> int:
        """Number of blocks."""
        return self.first_sum.size

    def sums(self) -> Offsets:
        """Return all sums of all blocks, ascending."""
        return _ranges(self.first_sum, self.n_sums)

    def children(self) -> Offsets:
        """Return all children of all blocks, block by block."""
        return _ranges(self.first_child, self.n_children)

    def by_node(self, n_nodes: int) -> tuple[Ids, Ids]:
        """Return the position of each node in its block, -1 for the others, and the block."""
        position, block = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
        sums = self.sums()
        position[sums] = sums - np.repeat(self.first_sum, self.n_sums)
        block[sums] = np.repeat(np.arange(self.n), self.n_sums)
        return position, block


NO_BLOCKS: Final = DenseBlocks(*np.zeros((5, 0), np.int64))


def dense_blocks(structure: Structure) -> DenseBlocks:
    """Return all blocks: sums in a row that each have the same children, in a row."""
    n_children = np.diff(structure.edge_start)
    wide = np.flatnonzero((structure.kind == SUM) & (n_children >= FEWEST))
    first_edge = structure.edge_start[wide]
    steps = np.concatenate([[0], np.cumsum(np.diff(structure.child) != 1)])  # breaks before an edge
    in_a_row = steps[first_edge] == steps[first_edge + n_children[wide] - 1]
    wide, first_edge = wide[in_a_row], first_edge[in_a_row]
    if not wide.size:
        return NO_BLOCKS
    first_child, n_children = structure.child[first_edge].astype(np.int64), n_children[wide]
    differs = (np.diff(wide) != 1) | (np.diff(first_child) != 0) | (np.diff(n_children) != 0)
    start = np.concatenate([[0], np.flatnonzero(differs) + 1])
    n_sums = np.diff(np.append(start, wide.size))
    start = start[n_sums >= FEWEST]
    n_sums = n_sums[n_sums >= FEWEST]
    return DenseBlocks(
        wide[start], n_sums, first_child[start], n_children[start], first_edge[start]
    )


def _ranges(first: Offsets, length: Offsets) -> Offsets:
    shift = first - (np.cumsum(length) - length)
    return np.asarray(np.repeat(shift, length) + np.arange(int(length.sum())))
