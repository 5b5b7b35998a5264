"""A circuit as a tree that is opened node by node, with posterior branch weights."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import LEAF, SUM, scopes
from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.query import node_posteriors
from softlearn.query.nodes import node_log_values
from softlearn.show.shifts import Parts
from softlearn.show.views.conditions import described, read_conditions
from softlearn.show.views.kinds import Kinds
from softlearn.show.views.values import Json

_AT_ONCE = 24  # children of a node that are shown at a time
_NAMED = 12  # columns that an entry names; the rest are counted
_SHIFTS = 2
_REMEMBERED = 16  # conditions whose weights are kept


class Weights(NamedTuple):
    """Log-values of all nodes under some evidence, and how likely a row passes through each."""

    value: Floats
    mass: Floats


class Tree:
    """The nodes of a circuit from the root, each shown with its children.

    Parameters
    ----------
    model
        The model.
    kinds
        Its kinds of rows, which hold the columns cut into cells.
    """

    def __init__(self, model: Model, kinds: Kinds) -> None:
        self._model, self._circuit, self._kinds = model, model.circuit, kinds
        self._scopes = scopes(model.circuit)
        self._weights = lru_cache(maxsize=_REMEMBERED)(self._weigh)

    def open(self, node: int | None = None, given: str = "", start: int = 0) -> Json:
        """Return a node, by default the root, and some of its children, heavy ones first.

        Parameters
        ----------
        node
            Its number in the circuit.
        given
            Conditions as text; shares are given without them and with them.
        start
            How many children to pass over.
        """
        node = self._circuit.root if node is None else node
        if not 0 <= node < self._circuit.n_nodes:
            raise SoftlearnError(
                f"there is no node {node}; the circuit has nodes 0 to {self._circuit.root}"
            )
        known = read_conditions(given, self._model)
        both = self._weights(""), self._weights(described(known)["given"])
        below = self._ranked(node)
        alone = self._alone(node)
        shown = below[start : start + _AT_ONCE]
        parts = self._parts(node, shown, alone)
        children = [
            self._entry(node, child, parts, place, both)
            for place, child in enumerate(shown, start=1)
        ]
        return {
            **described(known),
            "node": self._about(node, both),
            "children": children,
            "start": start,
            "n_children": len(below),
            "columns_alone": self._summaries(parts, len(shown) + 1, alone) if not start else [],
        }

    def _weigh(self, given: str) -> Weights:
        known = read_conditions(given, self._model)
        value = node_log_values(self._circuit, known.evidence)[:, 0]
        known.refuse(np.array([value[self._circuit.root] == -np.inf]), "error")
        return Weights(value, node_posteriors(self._circuit, known.evidence)[:, 0])

    def _edges(self, node: int) -> dict[int, float]:
        """Return the children and their weights; one that is named twice has both weights."""
        edges = slice(self._circuit.edge_start[node], self._circuit.edge_start[node + 1])
        found: dict[int, float] = {}
        pairs = zip(
            self._circuit.child[edges].tolist(), self._circuit.weight[edges].tolist(), strict=True
        )
        for child, weight in pairs:
            found[child] = found.get(child, 0.0) + weight
        return found

    def _ranked(self, node: int) -> list[int]:
        """Return the children to be opened: all of a sum, those over several columns of others."""
        edges, is_sum = self._edges(node), self._circuit.kind[node] == SUM
        below = [child for child in edges if is_sum or self._n_columns(child) > 1]
        return sorted(below, key=lambda child: (-edges[child], -self._n_columns(child), child))

    def _alone(self, node: int) -> list[int]:
        """Return the children of a product that are about one column each."""
        if self._circuit.kind[node] == SUM:
            return []
        if self._circuit.kind[node] == LEAF:
            return [node]
        return sorted(child for child in self._edges(node) if self._n_columns(child) == 1)

    def _parts(self, node: int, shown: list[int], alone: list[int]) -> Parts:
        starts = [[node], *([child] for child in shown), alone]
        return Parts(self._circuit, self._kinds.twin, self._kinds.cells, starts)

    def _n_columns(self, node: int) -> int:
        return self._scopes[node].bit_count()

    def _columns(self, node: int) -> list[str]:
        scope = self._scopes[node]
        return [name for i, name in enumerate(self._model.schema.names) if scope >> i & 1]

    def _about(self, node: int, both: tuple[Weights, Weights]) -> Json:
        kind, (usually, now) = self._circuit.kind[node], both
        names = self._columns(node)
        return {
            "node": node,
            "kind": "sum" if kind == SUM else "leaf" if kind == LEAF else "product",
            "mass": min(float(usually.mass[node]), 1.0),
            "mass_now": min(float(now.mass[node]), 1.0),
            "columns": names[:_NAMED],
            "n_columns": len(names),
            "n_children": len(self._ranked(node)),
        }

    def _entry(
        self, node: int, child: int, parts: Parts, place: int, both: tuple[Weights, Weights]
    ) -> Json:
        is_sum = self._circuit.kind[node] == SUM
        moved = parts.shifts(place, 0, _SHIFTS) if is_sum else []
        share, share_now = (self._share(node, child, one) for one in both)
        return {
            **self._about(child, both),
            "share": share if is_sum else None,
            "share_now": share_now if is_sum else None,
            "words": [shift.words for shift in moved],
        }

    def _share(self, node: int, child: int, weights: Weights) -> float | None:
        """Return how likely a row goes on to a child; null if none can come so far."""
        if weights.value[node] == -np.inf:
            return None
        gap = np.exp(weights.value[child] - weights.value[node])
        return float(min(self._edges(node)[child] * gap, 1.0))

    def _summaries(self, parts: Parts, place: int, alone: list[int]) -> list[str]:
        positions = sorted(self._scopes[child].bit_length() - 1 for child in alone)
        return [parts.summary(place, position) for position in positions[: 2 * _NAMED]]
