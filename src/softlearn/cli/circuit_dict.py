"""A circuit as JSON-safe values, for programs in other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softlearn.circuit import Circuit


def to_dict(circuit: Circuit) -> dict[str, Any]:
    """Return the schema, and the nodes in an order in which children come before parents.

    A leaf has ``column``, ``family`` and ``params``; a product ``children``, which are positions in
    the list; a sum also ``weights``. The root is last.
    """
    from softlearn.circuit import Leaf, Sum, build_form  # noqa: PLC0415

    starts, children = circuit.edge_start.tolist(), circuit.child.tolist()
    weights = circuit.weight.tolist()
    nodes: list[dict[str, Any]] = []
    for number, node in enumerate(build_form(circuit)):
        edges = slice(starts[number], starts[number + 1])
        if isinstance(node, Leaf):
            about = {"column": node.column, "family": node.family, "params": list(node.params)}
            nodes.append({"kind": "leaf", **about})
        elif isinstance(node, Sum):
            about = {"children": children[edges], "weights": weights[edges]}
            nodes.append({"kind": "sum", **about})
        else:
            nodes.append({"kind": "product", "children": children[edges]})
    return {"schema": circuit.schema.to_dict(), "nodes": nodes}
