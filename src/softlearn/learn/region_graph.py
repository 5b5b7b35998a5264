"""Region graphs: sets of columns, and the partitions of each into two parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

import numpy as np

Region: TypeAlias = tuple[int, ...]  # columns in ascending order


@dataclass(frozen=True)
class RegionGraph:
    """Regions by their columns, and the partitions of each into two others.

    Attributes
    ----------
    regions
        The columns of each region; parts come before wholes, and the last one has all columns.
    partitions
        For each region the pairs of regions that it is divided into, by their positions. A region
        without any is modelled by leaves.
    """

    regions: tuple[Region, ...]
    partitions: tuple[tuple[tuple[int, int], ...], ...]


@dataclass
class _Growing:
    """A region graph under construction."""

    regions: list[Region] = field(default_factory=list)
    splits: list[list[tuple[int, int]]] = field(default_factory=list)

    def add(self, region: Region, splits: list[tuple[int, int]]) -> int:
        """Add a region, whose parts are known already."""
        self.regions.append(region)
        self.splits.append(splits)
        return len(self.regions) - 1

    def graph(self) -> RegionGraph:
        return RegionGraph(tuple(self.regions), tuple(map(tuple, self.splits)))


def random_trees(
    n_columns: int, depth: int, n_replicas: int, rng: np.random.Generator
) -> RegionGraph:
    """Return random binary trees of regions that share the root and nothing else.

    Parameters
    ----------
    n_columns
        The columns of the root.
    depth
        How often a region is halved; single columns are not.
    n_replicas
        How many trees.
    rng
        The source of randomness.
    """
    growing = _Growing()
    everything = tuple(range(n_columns))
    tops = [_halved(growing, everything, depth, rng) for _ in range(n_replicas)]
    growing.add(everything, [top for top in tops if top is not None])
    return growing.graph()


def _halved(
    growing: _Growing, region: Region, depth: int, rng: np.random.Generator
) -> tuple[int, int] | None:
    """Add the regions below one that has to be halved; return its two parts, if it has any."""
    if depth == 0 or len(region) == 1:
        return None
    order = rng.permutation(region)
    parts = (order[: len(region) // 2], order[len(region) // 2 :])
    left, right = (tuple(sorted(part.tolist())) for part in parts)
    below = [(part, _halved(growing, part, depth - 1, rng)) for part in (left, right)]
    first, second = (growing.add(part, [] if two is None else [two]) for part, two in below)
    return first, second


def poon_domingos(shape: Sequence[int], n_pieces: int) -> RegionGraph:
    """Return all boxes of a grid of columns, each cut in two at every place between pieces.

    Boxes are shared by all that contain them. The columns are numbered row by row.

    Parameters
    ----------
    shape
        The size of the grid along each axis; ``(n,)`` for columns in a row.
    n_pieces
        About how many pieces each axis is cut into, at most one for each place.
    """
    cuts = [np.unique(np.linspace(0, size, min(n_pieces, size) + 1).astype(int)) for size in shape]
    spans = [[(a, b) for a in range(len(own) - 1) for b in range(a + 1, len(own))] for own in cuts]
    boxes = sorted(product(*spans), key=_size)
    position = {box: i for i, box in enumerate(boxes)}
    grid = np.arange(int(np.prod(shape))).reshape(tuple(shape))
    growing = _Growing()
    for box in boxes:
        inside = [slice(own[a], own[b]) for own, (a, b) in zip(cuts, box, strict=True)]
        pairs = [(position[one], position[other]) for one, other in _cuts(box)]
        growing.add(tuple(grid[tuple(inside)].ravel().tolist()), pairs)
    return growing.graph()


Box: TypeAlias = tuple[tuple[int, int], ...]  # first and last cut along each axis


def _size(box: Box) -> int:
    return int(np.prod([b - a for a, b in box]))


def _cuts(box: Box) -> list[tuple[Box, Box]]:
    """Return all ways to cut a box in two."""
    found = []
    for axis, (a, b) in enumerate(box):
        for middle in range(a + 1, b):
            one, other = list(box), list(box)
            one[axis], other[axis] = (a, middle), (middle, b)
            found.append((tuple(one), tuple(other)))
    return found
