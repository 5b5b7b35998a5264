"""The structure of a circuit, which circuits that differ only in parameters share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from weakref import WeakValueDictionary

import numpy as np

from softlearn.arrays import Ids, Kinds, Offsets
from softlearn.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Structure:
    """A circuit without its weights and leaf parameters; the arrays are those of ``Circuit``.

    Circuits that are alike in all of this share one object, so that what is computed from the
    structure alone is computed once: compare structures with ``is``.
    """

    schema: Schema
    kind: Kinds  # (nodes,)
    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)
    leaf_column: Ids  # (leaves,)
    leaf_family: Kinds  # (leaves,)
    param_start: Offsets  # (leaves + 1,)

    @property
    def n_nodes(self) -> int:
        """Number of leaves, products and sums."""
        return self.kind.size

    @property
    def n_leaves(self) -> int:
        """Number of leaves; they are the first nodes."""
        return self.leaf_column.size

    @property
    def root(self) -> int:
        """The last node."""
        return self.n_nodes - 1

    @cached_property
    def edge_owner(self) -> Ids:
        """The parent of each edge, shape (edges,)."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.edge_start))

    def shared(self) -> Structure:
        """Return the structure that stands for all that are equal to this one."""
        digest = blake2b()
        for array in (
            self.kind,
            self.edge_start,
            self.child,
            self.leaf_column,
            self.leaf_family,
            self.param_start,
        ):
            digest.update(array.size.to_bytes(8))
            digest.update(array.tobytes())
        return _KNOWN.setdefault((self.schema, digest.digest()), self)


_KNOWN: WeakValueDictionary[tuple[Schema, bytes], Structure] = WeakValueDictionary()
