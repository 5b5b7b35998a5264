"""A circuit as a graph for other programs: Graphviz text, or a networkx graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from unicodedata import category

from softlearn.circuit.flat import SUM, Circuit
from softlearn.circuit.flatten import build_form
from softlearn.circuit.nodes import Leaf, Node, Sum
from softlearn.errors import MissingDependencyError, SoftlearnError

if TYPE_CHECKING:
    import networkx as nx

_PARAMS_SHOWN = 6  # on one label
_UNSHOWN = {"Cc", "Cs"}  # control characters, and halves of characters that no file can hold


def to_dot(circuit: Circuit, *, max_nodes: int | None = 500) -> str:
    """Return the circuit in Graphviz' DOT language, to be drawn by ``dot -Tsvg``.

    Sums are drawn as + with weights on their edges, products as ×, and leaves as
    ``X ~ Gaussian(-0.5, 1)`` or ``c ~ a 0.2, b 0.8``.

    Parameters
    ----------
    circuit
        A sound circuit.
    max_nodes
        Refuse a larger circuit, which nobody could read; ``None`` means no limit.
    """
    if max_nodes is not None and circuit.n_nodes > max_nodes:
        raise SoftlearnError(
            f"the circuit has {circuit.n_nodes} nodes, and a drawing of more than {max_nodes} "
            f"is hard to read: pass max_nodes=None to get it anyway"
        )
    lines = ["digraph circuit {", "  node [shape=circle];"]
    lines += [f"  n{i} [{_appearance(node)}];" for i, node in enumerate(build_form(circuit))]
    is_sum = (circuit.kind == SUM).tolist()
    for parent, child, weight in _edges(circuit):
        label = f' [label="{weight:.4g}"]' if is_sum[parent] else ""
        lines.append(f"  n{parent} -> n{child}{label};")
    return "\n".join([*lines, "}", ""])


def to_networkx(circuit: Circuit) -> nx.DiGraph:
    """Return the circuit as a ``networkx.DiGraph`` with edges from parents to children.

    Nodes are the numbers of the flat form and carry ``kind``: ``"leaf"``, ``"product"`` or
    ``"sum"``. Leaves also carry ``column``, ``family`` and ``params``. Edges carry ``weight``, 1
    below a product; a branch that a sum names twice is one edge with the weight of both.
    """
    try:
        import networkx as nx  # noqa: PLC0415 - an extra, wanted only here
    except ImportError as error:
        raise MissingDependencyError(
            'to_networkx needs networkx: pip install "softlearn[graph]"'
        ) from error
    graph = nx.DiGraph()
    for number, node in enumerate(build_form(circuit)):
        graph.add_node(number, **_attributes(node))
    for parent, child, weight in _edges(circuit):
        known = graph.get_edge_data(parent, child, default={"weight": 0.0})
        graph.add_edge(parent, child, weight=known["weight"] + weight)
    return graph


def _edges(circuit: Circuit) -> Iterator[tuple[int, int, float]]:
    """Return (parent, child, weight) of each edge."""
    return zip(
        circuit.edge_owner.tolist(), circuit.child.tolist(), circuit.weight.tolist(), strict=True
    )


def _attributes(node: Node) -> dict[str, object]:
    kind = type(node).__name__.lower()
    if not isinstance(node, Leaf):
        return {"kind": kind}
    return {"kind": kind, "column": node.column, "family": node.family, "params": node.params}


def _appearance(node: Node) -> str:
    """Return a node's attributes in DOT."""
    if isinstance(node, Leaf):
        return f'shape=box, label="{_escaped(_label(node))}"'
    return 'label="+"' if isinstance(node, Sum) else 'label="×"'


def _label(leaf: Leaf) -> str:
    """Return a leaf in words: its levels and their probabilities, or its family and parameters."""
    shown = [f"{value:.4g}" for value in leaf.params[:_PARAMS_SHOWN]]
    by_level = len(leaf.levels) == len(leaf.params)
    if by_level:
        shown = [f"{level} {value}" for level, value in zip(leaf.levels, shown, strict=False)]
    if len(leaf.params) > _PARAMS_SHOWN:
        shown.append("…")
    listed = ", ".join(shown)
    return f"{leaf.column} ~ " + (listed if by_level else f"{leaf.family.capitalize()}({listed})")


def _escaped(text: str) -> str:
    r"""Return text that DOT shows as it is, apart from control characters.

    DOT reads backslashes and HTML entities in labels; ``\n`` breaks the line.
    """
    for old, new in (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("\r\n", "\n"), ("\n", "\\n")):
        text = text.replace(old, new)
    return "".join(f"\\\\u{ord(char):04x}" if category(char) in _UNSHOWN else char for char in text)
