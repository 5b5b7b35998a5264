"""A binary tree of the columns (a *vtree*), which every product of a PSDD follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.kernels.psdd.passed import Places


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """A binary tree whose leaves are columns; children come before their parents.

    Attributes
    ----------
    order
        (columns,) the columns from left to right.
    left, right
        (nodes,) the two parts of a node; -1 for leaves.
    first, end
        (nodes,) the columns below a node are ``order[first:end]``.
    """

    order: Offsets
    left: Offsets
    right: Offsets
    first: Offsets
    end: Offsets

    @property
    def root(self) -> int:
        """The last node."""
        return self.left.size - 1

    @cached_property
    def parent(self) -> Offsets:
        """The parent of each node, -1 for the root."""
        found = np.full(self.left.size, -1)
        inner = np.flatnonzero(self.left >= 0)
        found[self.left[inner]] = found[self.right[inner]] = inner
        return found

    @cached_property
    def places(self) -> Places:
        """The tree as kernels read it."""
        return Places(self.left, self.right, self.first, self.end)

    def all_below(self, node: int) -> Offsets:
        """Return all nodes below one, children first, and itself as the last."""
        inside = (self.first >= self.first[node]) & (self.end <= self.end[node])
        return np.flatnonzero(inside[: node + 1])


def paired(information: Floats) -> ColumnTree:
    """Return the tree that joins columns, then pairs of them and so on, two by two.

    In every round the parts with the largest mean mutual information are joined first; one that is
    left over waits for the next round.

    Parameters
    ----------
    information
        (columns, columns) symmetric, such as mutual information; the diagonal is not read.
    """
    n = information.shape[0]
    children: list[tuple[int, int]] = [(-1, -1)] * n
    parts, between = list(range(n)), information.astype(np.float64)
    size = np.ones(n)
    while len(parts) > 1:
        pairs = _matched(between / np.outer(size, size))
        joined = np.zeros((len(pairs), len(parts)))
        for place, pair in enumerate(pairs):
            joined[place, list(pair)] = 1.0
        between, size = joined @ between @ joined.T, joined @ size
        old = parts
        parts = []
        for pair in pairs:
            if len(pair) == 2:
                children.append((old[pair[0]], old[pair[1]]))
            parts.append(len(children) - 1 if len(pair) == 2 else old[pair[0]])
    return _ordered(n, children)


def _matched(gain: Floats) -> list[tuple[int, ...]]:
    """Return pairs of parts, those of largest gain first; one part may be left over."""
    n = gain.shape[0]
    above = np.triu_indices(n, 1)
    is_free: Bools = np.ones(n, dtype=bool)
    found: list[tuple[int, ...]] = []
    for place in np.argsort(-gain[above], kind="stable"):
        i, j = int(above[0][place]), int(above[1][place])
        if is_free[i] and is_free[j]:
            is_free[[i, j]] = False
            found.append((i, j))
    return found + [(int(i),) for i in np.flatnonzero(is_free)]


def _ordered(n: int, children: list[tuple[int, int]]) -> ColumnTree:
    """Put the columns in order from left to right."""
    left, right = np.array(children).T
    size = np.ones(left.size, np.int64)
    for node in range(n, left.size):
        size[node] = size[left[node]] + size[right[node]]
    first = np.zeros(left.size, np.int64)
    for node in range(left.size - 1, n - 1, -1):
        first[left[node]] = first[node]
        first[right[node]] = first[node] + size[left[node]]
    order = np.empty(n, np.int64)
    order[first[:n]] = np.arange(n)
    return ColumnTree(order, left, right, first, first + size)
