"""Whether at most one child of every sum can be true of any row, so that maximising is exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats
from softlearn.circuit.columns import same_shape
from softlearn.circuit.flat import SUM, Circuit
from softlearn.leaf import Family, Interval, Scaled


def is_deterministic(circuit: Circuit) -> bool:
    """Return whether every sum has a column on which its children's supports are disjoint.

    Supports are levels, cells of a scale, or intervals from the lowest to the highest possible
    value; intervals that touch in a point are disjoint, as a point has no probability. Branches of
    weight 0 do not count. The check is sufficient, not necessary: children may differ on no single
    column.
    """
    supports = _supports(circuit)
    starts, children = circuit.edge_start.tolist(), circuit.child.tolist()
    possible, is_sum = (circuit.weight > 0.0).tolist(), (circuit.kind == SUM).tolist()
    readers = np.bincount(circuit.child, minlength=circuit.n_nodes).tolist()
    masks = [0] * circuit.n_nodes
    for node in range(circuit.n_leaves, circuit.n_nodes):
        edges = range(starts[node], starts[node + 1])
        some = [children[e] for e in edges if possible[e]]
        below = [masks[i] if i >= circuit.n_leaves else supports.of_leaf(i) for i in some]
        covered = overlap = 0
        for mask in below:
            overlap |= covered & mask
            covered |= mask
        if is_sum[node] and len(below) > 1 and not supports.some_apart(covered, overlap):
            return False
        masks[node] = covered
        for e in edges:  # dropped after their last reader, because masks may be long
            readers[children[e]] -= 1
            if not readers[children[e]]:
                masks[children[e]] = 0
    return True


class _Supports(NamedTuple):
    """What leaves can draw, as bits of one Python integer: a field of cells for each column.

    Levels are cells, and so are those of a scale; any other line is cut into cells at all ends of
    its leaves' intervals. Columns whose leaves can all draw everything cannot tell children apart
    and have no field. Above each field a guard bit is left free, so that adding all ones to a
    field raises it if the field is not 0.
    """

    cells: list[int]  # (leaves,) the leaf's own field
    offset: list[int]  # (leaves,) where that field begins
    ones: int
    guards: int

    def of_leaf(self, leaf: int) -> int:
        """Return the mask of a leaf."""
        return self.cells[leaf] << self.offset[leaf]

    def some_apart(self, covered: int, overlap: int) -> bool:
        """Return whether some column that is covered has no cell covered twice."""
        return (covered + self.ones) & self.guards != (overlap + self.ones) & self.guards


def _supports(circuit: Circuit) -> _Supports:
    cells, offset = [0] * circuit.n_leaves, [0] * circuit.n_leaves
    ones = guards = end = 0
    by_column = np.argsort(circuit.leaf_column, kind="stable")
    ends = np.cumsum(np.bincount(circuit.leaf_column, minlength=len(circuit.schema)))[:-1]
    restricted = _restricted_leaves(circuit)
    for leaves in np.split(by_column, ends):
        if not restricted[leaves].any():
            continue
        masks, n_cells = _cells(circuit, leaves)
        for leaf, mask in zip(leaves.tolist(), masks, strict=True):
            cells[leaf], offset[leaf] = mask, end
        ones |= ((1 << n_cells) - 1) << end
        guards |= 1 << (end + n_cells)
        end += n_cells + 1
    return _Supports(cells, offset, ones, guards)


def _restricted_leaves(circuit: Circuit) -> Bools:
    """Return which leaves cannot draw every value of their column, (leaves,)."""
    every = np.arange(circuit.n_leaves)
    restricted = np.zeros(every.size, dtype=bool)
    for family, where, params in same_shape(circuit, every):
        support = _support(family, params)
        if isinstance(support, Interval):
            restricted[where] = np.isfinite(support.lo) | np.isfinite(support.hi)
        else:
            restricted[where] = ~support.all(axis=-1)
    return restricted


def _support(family: Family, params: Floats) -> Bools | Interval:
    """Return the levels or cells that leaves can draw, (leaves, n), or else their intervals."""
    if isinstance(family, Scaled):
        return family.probabilities(params) > 0.0
    return family.support(params)


def _cells(circuit: Circuit, leaves: AnyArray) -> tuple[list[int], int]:
    """Return the supports of one column's leaves as masks, and the number of cells."""
    masks = [0] * leaves.size
    lo, hi = np.full(leaves.size, -np.inf), np.full(leaves.size, np.inf)
    n_cells = 0
    for family, where, params in same_shape(circuit, leaves):
        support = _support(family, params)
        if isinstance(support, Interval):
            lo[where], hi[where] = support.lo, support.hi
            continue
        n_cells = support.shape[-1]
        packed = np.packbits(support, axis=-1, bitorder="little")
        for leaf, row in zip(where.tolist(), packed, strict=True):
            masks[leaf] = int.from_bytes(row.tobytes(), "little")
    if n_cells:
        return masks, n_cells
    cuts = np.unique(np.concatenate([lo, hi, [-np.inf, np.inf]]))
    first, after = np.searchsorted(cuts, lo).tolist(), np.searchsorted(cuts, hi).tolist()
    spans = zip(first, after, strict=True)
    return [(1 << end) - (1 << start) for start, end in spans], cuts.size - 1
