"""Kinds of rows: the branches of the topmost sums, each a mixture component of the whole table."""

from __future__ import annotations

from typing import NamedTuple

from softlearn.circuit import PRODUCT, SUM, Circuit, scopes


class Branch(NamedTuple):
    """Some of the rows: their share, and the independent nodes that make them up."""

    share: float
    nodes: tuple[int, ...]


def branches(circuit: Circuit, wanted: int) -> list[Branch]:
    """Return the kinds of rows, the most common first; their shares add to one.

    Products are looked through. The widest sum of a branch is opened, that of the branch with most
    rows and columns first, until there are at least as many branches as wanted or none can be
    opened.
    """
    n_columns = [scope.bit_count() for scope in scopes(circuit)]
    found = [Branch(1.0, _parts(circuit, circuit.root))]
    while len(found) < wanted:
        gains = [branch.share * _width(circuit, branch, n_columns) for branch in found]
        best = max(range(len(found)), key=gains.__getitem__)
        if gains[best] == 0.0:
            break
        found[best : best + 1] = _opened(circuit, found[best], n_columns)
    return sorted(found, key=lambda branch: -branch.share)


def _opened(circuit: Circuit, branch: Branch, n_columns: list[int]) -> list[Branch]:
    """Return the branches into which the widest sum of a branch divides it."""
    inner = [node for node in branch.nodes if circuit.kind[node] == SUM]
    widest = max(inner, key=n_columns.__getitem__)
    others = tuple(node for node in branch.nodes if node != widest)
    edges = slice(circuit.edge_start[widest], circuit.edge_start[widest + 1])
    pairs = zip(circuit.weight[edges].tolist(), circuit.child[edges].tolist(), strict=True)
    return [
        Branch(branch.share * weight, (*others, *_parts(circuit, child)))
        for weight, child in pairs
        if weight > 0.0
    ]


def _parts(circuit: Circuit, node: int) -> tuple[int, ...]:
    """Return the factors of a node: itself, or for products what they multiply."""
    pending, found = [node], []
    while pending:
        one = pending.pop()
        if circuit.kind[one] == PRODUCT:
            pending += circuit.child[circuit.edge_start[one] : circuit.edge_start[one + 1]].tolist()
        else:
            found.append(one)
    return tuple(found)


def _width(circuit: Circuit, branch: Branch, n_columns: list[int]) -> int:
    """Return the columns of the widest sum; 0 if none has two, so that nothing can be opened."""
    widths = [n_columns[node] for node in branch.nodes if circuit.kind[node] == SUM]
    widest = max(widths, default=0)
    return widest if widest > 1 else 0
