"""A circuit in a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from softlearn.circuit.determinism import is_deterministic
from softlearn.circuit.flat import PRODUCT, SUM, Circuit
from softlearn.leaf import FAMILIES


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The size of a circuit; printing it shows a small table.

    Attributes
    ----------
    columns
        Number of columns.
    leaves
        Number of leaves by the name of their family; families without leaves are left out.
    products, sums, edges
        Number of inner nodes of each kind, and of edges to their children.
    parameters
        Number of free parameters.
    depth
        Edges on the longest path from the root to a leaf.
    bytes
        Memory of the arrays.
    deterministic
        Whether at most one child of every sum is possible for a row, as far as a single column
        tells; most probable completions are then exact.
    """

    columns: int
    leaves: Mapping[str, int]
    products: int
    sums: int
    edges: int
    parameters: int
    depth: int
    bytes: int
    deterministic: bool = False

    def __str__(self) -> str:
        by_family = ", ".join(f"{count:,} {name}" for name, count in self.leaves.items())
        rows = [
            ("columns", f"{self.columns:,}", ""),
            ("leaves", f"{sum(self.leaves.values()):,}", by_family),
            ("products", f"{self.products:,}", ""),
            ("sums", f"{self.sums:,}", ""),
            ("edges", f"{self.edges:,}", ""),
            ("parameters", f"{self.parameters:,}", ""),
            ("depth", f"{self.depth:,}", ""),
            ("memory", _readable(self.bytes), ""),
        ]
        width = max(len(value) for _, value, _ in rows)
        lines = [f"{name:<10}  {value:>{width}}  {note}".rstrip() for name, value, note in rows]
        if self.deterministic:
            lines.append("deterministic: most probable completions are exact")
        return "\n".join(lines)


def describe(circuit: Circuit) -> Description:
    """Return the numbers that describe a sound circuit."""
    families, counts = np.unique(circuit.leaf_family, return_counts=True)
    by_name = {
        FAMILIES[family].name: count
        for family, count in zip(families.tolist(), counts.tolist(), strict=True)
    }
    return Description(
        columns=len(circuit.schema),
        leaves=MappingProxyType(by_name),
        products=int(np.count_nonzero(circuit.kind == PRODUCT)),
        sums=int(np.count_nonzero(circuit.kind == SUM)),
        edges=circuit.n_edges,
        parameters=circuit.n_parameters,
        depth=circuit.depth,
        bytes=circuit.n_bytes,
        deterministic=is_deterministic(circuit),
    )


def _readable(n_bytes: int) -> str:
    """Return a size with three digits, in powers of 1000."""
    size, unit = float(n_bytes), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 999.5:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}"
