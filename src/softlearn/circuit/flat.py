"""The flat form of a circuit: a few frozen arrays that every query reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets
from softlearn.circuit.structure import Structure
from softlearn.leaf import FAMILIES
from softlearn.table.schema import Schema

LEAF: Final = 0
PRODUCT: Final = 1
SUM: Final = 2

# Array name -> dtype on disk and in memory, the same on every platform.
ARRAYS: Final = {
    "kind": np.uint8,
    "edge_start": np.int64,
    "child": np.int32,
    "weight": np.float64,
    "leaf_column": np.int32,
    "leaf_family": np.uint8,
    "param_start": np.int64,
    "params": np.float64,
}


@dataclass(frozen=True, eq=False, repr=False)
class Circuit:
    """A probabilistic circuit as arrays.

    Nodes are numbered so that leaves come first (grouped by family), children come before
    parents, and the root is last. The edges of node ``i`` are ``edge_start[i]:edge_start[i + 1]``;
    leaf ``i`` is node ``i``, and its parameters are ``params[param_start[i]:param_start[i + 1]]``.
    The constructor only freezes the arrays; ``softlearn.circuit.violations`` says what is wrong.
    """

    schema: Schema
    kind: Kinds  # (nodes,)         LEAF, PRODUCT or SUM
    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)         child[e] < the node that owns e
    weight: Floats  # (edges,)         1.0 on product edges
    leaf_column: Ids  # (leaves,)        position in the schema
    leaf_family: Kinds  # (leaves,)        position in FAMILIES, ascending
    param_start: Offsets  # (leaves + 1,)
    params: Floats  # (stored parameters,)

    def __post_init__(self) -> None:
        for name, dtype in ARRAYS.items():
            object.__setattr__(self, name, _frozen(getattr(self, name), np.dtype(dtype)))

    def __repr__(self) -> str:
        return (
            f"Circuit({len(self.schema)} columns, {self.n_nodes} nodes, {self.n_edges} edges, "
            f"{self.n_parameters} parameters)"
        )

    @property
    def n_nodes(self) -> int:
        """Number of leaves, products and sums."""
        return self.kind.size

    @property
    def n_edges(self) -> int:
        """Number of edges from parents to children."""
        return self.child.size

    @property
    def n_leaves(self) -> int:
        """Number of leaves; they are the first nodes."""
        return self.leaf_column.size

    @property
    def root(self) -> int:
        """The last node."""
        return self.n_nodes - 1

    @property
    def edge_owner(self) -> Ids:
        """The parent of each edge, shape (edges,)."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.edge_start))

    @property
    def n_bytes(self) -> int:
        """Memory of all arrays."""
        return sum(getattr(self, name).nbytes for name in ARRAYS)

    @cached_property
    def structure(self) -> Structure:
        """All but the weights and parameters; circuits of equal structure share the object."""
        own = Structure(
            self.schema,
            self.kind,
            self.edge_start,
            self.child,
            self.leaf_column,
            self.leaf_family,
            self.param_start,
        )
        return own.shared()

    @cached_property
    def leaf_shape(self) -> Offsets:
        """(leaves,) a number that leaves share whose parameters make one matrix.

        They have one family, one number of parameters and, if their columns have cells, one column.
        """
        length = np.diff(self.param_start)
        has_cells = np.array([about.scale is not None for about in self.schema.columns])
        of_column = np.where(has_cells[self.leaf_column], self.leaf_column.astype(np.int64) + 1, 0)
        key = self.leaf_family.astype(np.int64) * (len(self.schema) + 1) + of_column
        return np.asarray(key * (1 + int(length.max(initial=0))) + length)

    @cached_property
    def n_parameters(self) -> int:
        """Number of free parameters: of the sums' weights and of the leaves."""
        n_sums = int(np.count_nonzero(self.kind == SUM))
        n_sum_edges = int(np.diff(self.edge_start)[self.kind == SUM].sum())
        of_leaves = sum(
            FAMILIES[int(family)].parameter_count(int(length)) * int(count)
            for (family, length), count in self._leaf_shapes()
        )
        return n_sum_edges - n_sums + of_leaves

    @cached_property
    def depth(self) -> int:
        """Edges on the longest path from the root to a leaf."""
        heights = [0] * self.n_nodes
        starts, children = self.edge_start.tolist(), self.child.tolist()
        for node in range(self.n_leaves, self.n_nodes):
            heights[node] = 1 + max(heights[c] for c in children[starts[node] : starts[node + 1]])
        return heights[-1]

    def _leaf_shapes(self) -> list[tuple[tuple[int, int], int]]:
        """Count the leaves of each (family, number of stored parameters)."""
        lengths = np.diff(self.param_start)
        # One number a shape: sorting pairs of a million leaves takes twenty times as long.
        shapes = lengths * len(FAMILIES) + self.leaf_family
        found, counts = np.unique(shapes, return_counts=True)
        return [
            ((shape % len(FAMILIES), shape // len(FAMILIES)), count)
            for shape, count in zip(found.tolist(), counts.tolist(), strict=True)
        ]


def _frozen(given: AnyArray, dtype: np.dtype[np.generic]) -> AnyArray:
    """Return an array that nobody writes to: the one given, if it is such an array, or a copy."""
    array = np.asarray(given)
    flags = array.flags
    if array.dtype == dtype and flags.c_contiguous and flags.owndata and not flags.writeable:
        return array
    array = np.array(given, dtype=dtype, order="C")
    array.flags.writeable = False
    return array
