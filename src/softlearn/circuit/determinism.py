"""Find deterministic sums: at most one of their children is possible for any row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import AnyArray, Bools, Floats
from softlearn.circuit.columns import cells_of, same_shape
from softlearn.circuit.flat import SUM, Circuit
from softlearn.leaf import Family, Interval, Listed, Members, Region, Scaled


def is_deterministic(circuit: Circuit) -> bool:
    """Return whether any two children of a sum have disjoint supports on some column.

    Supports are levels, cells of a scale, or intervals from the lowest to the highest possible
    value; intervals that touch in a point are disjoint, as a point has no probability. Branches of
    weight 0 do not count. The check is sufficient, not necessary: two children may differ on no
    single column.
    """
    if not _restricted_leaves(circuit).any():  # all children can draw everything
        n_possible = np.bincount(circuit.edge_owner[circuit.weight > 0.0])
        return not (n_possible[circuit.kind[: n_possible.size] == SUM] > 1).any()
    found = overlaps(circuit)
    return bool(found.apart(found.supports.but_points).all())


class Overlaps(NamedTuple):
    """What the children of each sum cover, and what two of them cover, as masks of cells.

    Here both ends of an interval belong to it: on an edge that two histograms share, both have a
    density.
    """

    supports: _Supports
    n_nodes: int
    sums: list[tuple[int, int, int]]  # (node, covered, covered twice) of those that are not apart

    def apart(self, allowed: int = -1) -> Bools:
        """Return the nodes of whose children at most one is possible inside a mask, (nodes,)."""
        found = np.ones(self.n_nodes, dtype=bool)
        for node, covered, overlap in self.sums:
            found[node] = self.supports.some_apart(covered, overlap & allowed)
        return found

    def allowed(self, column: int, region: Region) -> list[int]:
        """Return the mask that each row's region of one column leaves of all cells."""
        field = self.supports.fields.get(column)
        if field is None:
            return [-1]
        return [~(field.ones << field.offset) | (own << field.offset) for own in field.of(region)]


_OVERLAPS: WeakKeyDictionary[Circuit, Overlaps] = WeakKeyDictionary()


def overlaps(circuit: Circuit) -> Overlaps:
    """Return what the children of each sum have in common, found on first use."""
    if circuit not in _OVERLAPS:
        _OVERLAPS[circuit] = _overlaps(circuit)
    return _OVERLAPS[circuit]


def _overlaps(circuit: Circuit) -> Overlaps:
    supports, sums = _supports(circuit), []
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
        if is_sum[node] and not (
            supports.some_apart(covered, overlap) or supports.all_apart(below)
        ):
            sums.append((node, covered, overlap))
        masks[node] = covered
        for e in edges:  # dropped after their last reader, because masks may be long
            readers[children[e]] -= 1
            if not readers[children[e]]:
                masks[children[e]] = 0
    return Overlaps(supports, circuit.n_nodes, sums)


class _Field(NamedTuple):
    """The cells of one column: levels, cells of a scale, or ends of intervals and gaps between."""

    offset: int
    n_cells: int
    cuts: Floats  # of a plain line: the ends, in order
    bounds: tuple[Floats, Floats] | None  # of cells of a scale

    @property
    def ones(self) -> int:
        """All cells."""
        return (1 << self.n_cells) - 1

    def of(self, region: Region) -> list[int]:
        """Return the cells that each row's region touches."""
        if isinstance(region, Members):
            return _packed(region.mask)
        if self.bounds is not None:
            left, right = self.bounds
            if isinstance(region, Listed):
                inside = (left <= region.values[:, None]) & (right >= region.values[:, None])
                return _packed(np.atleast_2d(inside.any(axis=0)))
            return _packed(np.asarray((left <= region.hi[:, None]) & (right >= region.lo[:, None])))
        assert isinstance(region, Interval)
        return _spans(self.cuts, region.lo, region.hi)


class _Supports(NamedTuple):
    """What leaves can draw, as bits of one Python integer: a field of cells for each column.

    Levels are cells, and so are those of a scale; any other line has a cell for each end of its
    leaves' intervals and each gap between two. Columns whose leaves can all draw everything cannot
    tell children apart and have no field. Above each field a guard bit is left free, so that adding
    all ones to a field raises it if the field is not 0.
    """

    cells: list[int]  # (leaves,) the leaf's own field
    offset: list[int]  # (leaves,) where that field begins
    ones: int
    guards: int
    fields: dict[int, _Field]

    @property
    def but_points(self) -> int:
        """All cells but the ends of intervals, which have no probability."""
        points = 0
        for field in self.fields.values():
            for i in range(field.cuts.size):
                points |= 2 << (field.offset + 2 * i)
        return ~points

    def of_leaf(self, leaf: int) -> int:
        """Return the mask of a leaf."""
        return self.cells[leaf] << self.offset[leaf]

    def some_apart(self, covered: int, overlap: int) -> bool:
        """Return whether some column that is covered has no cell covered twice."""
        return (covered + self.ones) & self.guards != (overlap + self.ones) & self.guards

    def all_apart(self, masks: Sequence[int]) -> bool:
        """Return whether any two of the masks are apart, each two maybe by another column."""
        return all(self.some_apart(one | two, one & two) for one, two in combinations(masks, 2))


def _supports(circuit: Circuit) -> _Supports:
    cells, offset = [0] * circuit.n_leaves, [0] * circuit.n_leaves
    ones = guards = end = 0
    fields = {}
    by_column = np.argsort(circuit.leaf_column, kind="stable")
    ends = np.cumsum(np.bincount(circuit.leaf_column, minlength=len(circuit.schema)))[:-1]
    restricted = _restricted_leaves(circuit)
    for column, leaves in enumerate(np.split(by_column, ends)):
        if not restricted[leaves].any():
            continue
        masks, field = _field(circuit, leaves, end)
        for leaf, mask in zip(leaves.tolist(), masks, strict=True):
            cells[leaf], offset[leaf] = mask, end
        fields[column] = field
        ones |= field.ones << end
        guards |= 1 << (end + field.n_cells)
        end += field.n_cells + 1
    return _Supports(cells, offset, ones, guards, fields)


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
        return np.asarray(family.probabilities(params) > 0.0)
    return family.support(params)


def _field(circuit: Circuit, leaves: AnyArray, offset: int) -> tuple[list[int], _Field]:
    """Return the supports of one column's leaves as masks, and the cells they are made of."""
    masks = [0] * leaves.size
    lo, hi = np.full(leaves.size, -np.inf), np.full(leaves.size, np.inf)
    about = circuit.schema.columns[circuit.leaf_column[leaves[0]]]
    cells, is_line = cells_of(about), not about.is_discrete
    for family, where, params in same_shape(circuit, leaves):
        support = _support(family, params)
        if isinstance(support, Interval):
            lo[where], hi[where] = support.lo, support.hi
            continue
        for leaf, mask in zip(where.tolist(), _packed(support), strict=True):
            masks[leaf] = mask
    if cells is not None:
        return masks, _Field(offset, cells.n, np.empty(0), (cells.left, cells.right))
    if not is_line:
        return masks, _Field(offset, about.n_levels, np.empty(0), None)
    ends = np.concatenate([lo, hi])
    cuts = np.unique(ends[np.isfinite(ends)])
    return _spans(cuts, lo, hi), _Field(offset, 2 * cuts.size + 1, cuts, None)


def _spans(cuts: Floats, lo: Floats, hi: Floats) -> list[int]:
    """Return the cells of closed intervals: gap 0, cut 0, gap 1, cut 1 and so on; none if empty."""
    first = np.searchsorted(cuts, lo, "left") + np.searchsorted(cuts, lo, "right")
    last = np.searchsorted(cuts, hi, "left") + np.searchsorted(cuts, hi, "right")
    spans = zip(first.tolist(), last.tolist(), (lo <= hi).tolist(), strict=True)
    return [((2 << end) - (1 << start)) if some else 0 for start, end, some in spans]


def _packed(masks: Bools) -> list[int]:
    """Return rows of bools as integers, the first one lowest."""
    packed = np.packbits(masks, axis=-1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
