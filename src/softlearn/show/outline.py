"""An outline of a circuit that fits on a page: its heaviest nodes, with the others folded."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Literal

from softlearn.circuit import PRODUCT, SUM, Circuit, scopes
from softlearn.query.below import reach

_FAN = 6  # branches of a node that are drawn by themselves


@dataclass(frozen=True, slots=True)
class Link:
    """An edge to another entry; ``share`` is the weight below a sum, None below a product.

    Only the first link to an entry is part of the tree; the others show that a part is shared.
    """

    child: int
    share: float | None
    in_tree: bool


@dataclass(slots=True)
class Entry:
    """One item of an outline.

    Attributes
    ----------
    kind
        ``"sum"`` and ``"product"`` show their children, ``"columns"`` are independent columns,
        ``"folded"`` is a node whose children are left out, ``"rest"`` stands for several nodes.
    nodes
        The nodes of the circuit that it stands for.
    mass
        The probability that a row comes through here.
    depth
        Links from the root.
    links
        The children.
    """

    kind: Literal["sum", "product", "columns", "folded", "rest"]
    nodes: tuple[int, ...]
    mass: float
    depth: int
    links: list[Link] = field(default_factory=list)


def outline(circuit: Circuit, most: int) -> list[Entry]:
    """Return at most so many entries, the root first; heavy nodes near it are opened first."""
    return _Outline(circuit, most).entries


class _Outline:
    """An outline under construction."""

    def __init__(self, circuit: Circuit, most: int) -> None:
        self._circuit, self._most = circuit, most
        self._mass = reach(circuit, [[circuit.root]])[:, 0]
        self._n_columns = [scope.bit_count() for scope in scopes(circuit)]
        self._place: dict[int, int] = {}  # of nodes that are on the page
        self._pending: list[tuple[float, int]] = []
        self.entries: list[Entry] = []
        self._add((circuit.root,), 0)
        while self._pending:
            self._open(heappop(self._pending)[1])

    def _add(self, nodes: tuple[int, ...], depth: int, *, together: bool = False) -> int:
        """Add nodes as one entry, and return its position."""
        place, mass = len(self.entries), float(self._mass[list(nodes)].sum())
        simple = all(self._n_columns[node] == 1 for node in nodes) or (
            len(nodes) == 1 and self._is_factorised(nodes[0])
        )
        kind: Literal["columns", "folded", "rest"] = "rest" if together else "folded"
        self.entries.append(Entry("columns" if simple else kind, nodes, min(mass, 1.0), depth))
        if len(nodes) == 1 and not together:
            self._place[nodes[0]] = place
            if not simple:
                heappush(self._pending, (-mass / (1 + depth), place))
        return place

    def _open(self, place: int) -> None:
        """Show the children of an entry, if there is room for them."""
        entry = self.entries[place]
        node = entry.nodes[0]
        is_sum = bool(self._circuit.kind[node] == SUM)
        shares = self._children(node)
        simple = [] if is_sum else [child for child in shares if self._n_columns[child] == 1]
        single = sorted((c for c in shares if c not in simple), key=lambda c: self._rank(c, shares))
        rest = single[_FAN:] if len(single) > _FAN + 1 else []
        single = single[: len(single) - len(rest)]
        n_new = sum(child not in self._place for child in single) + bool(simple) + bool(rest)
        if len(self.entries) + n_new > self._most:
            return
        entry.kind = "sum" if is_sum else "product"
        for child in single:
            known = self._place.get(child)
            at = self._add((child,), entry.depth + 1) if known is None else known
            entry.links.append(Link(at, shares[child] if is_sum else None, known is None))
        if rest:
            share = sum(shares[child] for child in rest) if is_sum else None
            at = self._add(tuple(rest), entry.depth + 1, together=True)
            entry.links.append(Link(at, share, True))
        if simple:
            at = self._add(tuple(sorted(simple)), entry.depth + 1, together=True)
            entry.links.append(Link(at, None, True))

    def _is_factorised(self, node: int) -> bool:
        """Return whether a node is a product of single columns."""
        is_product = self._circuit.kind[node] == PRODUCT
        return bool(is_product) and all(
            self._n_columns[child] == 1 for child in self._children(node)
        )

    def _children(self, node: int) -> dict[int, float]:
        """Return the children and their weights; a child that is named twice has both weights."""
        edges = slice(self._circuit.edge_start[node], self._circuit.edge_start[node + 1])
        found: dict[int, float] = {}
        below, weights = self._circuit.child[edges].tolist(), self._circuit.weight[edges].tolist()
        for child, weight in zip(below, weights, strict=True):
            found[child] = found.get(child, 0.0) + weight
        return found

    def _rank(self, child: int, shares: dict[int, float]) -> tuple[float, int]:
        """Return a sort key that puts heavy and wide children first."""
        return -shares[child], -self._n_columns[child]
