"""A growing PSDD: its nodes and edges, and which of them each row passes.

Each node belongs to a place, which is a node of the column tree. At a leaf of that tree it has an
edge for each level of the column that is possible there. Elsewhere each of its edges leads to two
nodes, one for each subtree, and the left ones (the *primes*) exclude each other. So a row passes
exactly one node at every place, and all parameters are relative frequencies of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from softlearn.arrays import AnyArray, Floats, Ids
from softlearn.kernels.psdd.passed import Cells, Passed
from softlearn.learn.psdd.column_tree import ColumnTree

NONE: Final = -1

_EDGE_DTYPES = {
    "owner": np.int32,  # the node of an edge, or NONE if it is not in use any more
    "train": np.float64,
    "held": np.float64,
    "share": np.float64,
    "prior": np.float64,  # what the share is drawn towards
    "edge_place": np.int32,
    "moved_to": np.int32,
}
_NODE_DTYPES = {
    "node_train": np.float64,
    "node_held": np.float64,
    "size": np.int32,
    "node_place": np.int32,
}


class Growing:
    """Nodes and edges, with the weight of the rows that pass them."""

    def __init__(
        self,
        tree: ColumnTree,
        cells: Cells,
        first: Sequence[Floats],
        weights: Floats,
        smoothing: float,
    ) -> None:
        """Begin with independent columns.

        Parameters
        ----------
        tree
            Of the columns.
        cells
            The rows.
        first
            For each column, in the order of the tree, the prior probabilities of its levels.
        weights
            (2, rows) of rows learnt from and of rows held out.
        smoothing
            Pseudo-rows of each node, distributed like the node before it was changed.
        """
        self.tree, self.cells, self.weights, self.smoothing = tree, cells, weights, smoothing
        self.children: list[tuple[int, int]] = []  # (edges,) at leaves the level, and NONE
        self.edges: list[list[int]] = []  # of each node
        self.places: list[int] = []  # of each node
        self.parents: list[set[int]] = []  # edges that lead to each node
        self._of_edges = {name: np.zeros(0, dtype) for name, dtype in _EDGE_DTYPES.items()}
        self._of_nodes = {name: np.zeros(0, dtype) for name, dtype in _NODE_DTYPES.items()}
        self.edge = np.zeros((tree.left.size, weights.shape[1]), np.int32)  # that each row takes
        for place in range(tree.left.size):  # its node has the same number
            if tree.left[place] < 0:
                column = int(tree.first[place])
                prior = first[column]
                self.add_node(place, [(level, NONE) for level in range(prior.size)], prior)
                self.edge[place] = self.edges[place][0] + cells.code[:, column]
            else:
                self.add_node(place, [(int(tree.left[place]), int(tree.right[place]))], np.ones(1))
                self.edge[place] = self.edges[place][0]
            self._count(self.edge[place], weights, 1.0)
        self.weigh(range(tree.left.size))

    @property
    def root(self) -> int:
        """The root, which all rows pass."""
        return self.tree.root

    @property
    def passed(self) -> Passed:
        """The edges and nodes as kernels read them."""
        of = {**self._of_edges, **self._of_nodes}
        return Passed(self.edge, *(of[name] for name in Passed._fields[1:]))

    @property
    def n_edges(self) -> int:
        """Number of edges, including dropped ones."""
        return len(self.children)

    def owner(self, edge: int) -> int:
        """Return the node of an edge, or NONE."""
        return int(self._of_edges["owner"][edge])

    def train(self, edge: int) -> float:
        """Return the weight of the rows that are learnt from and take an edge."""
        return float(self._of_edges["train"][edge])

    def share(self, edge: int) -> float:
        """Return the probability of an edge given its node."""
        return float(self._of_edges["share"][edge])

    def shares(self) -> Floats:
        """Return the probabilities of all edges, including dropped ones."""
        return self._of_edges["share"][: self.n_edges]

    def place_of(self, edge: int) -> int:
        """Return the place of an edge."""
        return self.places[self.owner(edge)]

    def rows(self, edge: int) -> Ids:
        """Return the rows that take an edge."""
        return np.flatnonzero(self.edge[self.place_of(edge)] == edge).astype(np.int32)

    def nodes_passed(self, place: int, rows: Ids) -> set[int]:
        """Return the nodes at a place that rows pass."""
        return set(self._of_edges["owner"][np.unique(self.edge[place, rows])].tolist())

    def add_node(self, place: int, children: Sequence[tuple[int, int]], prior: Floats) -> int:
        """Add a node with its edges; return its number."""
        node = len(self.places)
        self.places.append(place)
        self.edges.append([])
        self.parents.append(set())
        _make_room(self._of_nodes, node, {"node_place": NONE})
        for below, towards in zip(children, (prior / prior.sum()).tolist(), strict=True):
            self.add_edge(node, below, towards)
        return node

    def add_edge(self, node: int, children: tuple[int, int], prior: float) -> int:
        """Add an edge that no row takes yet; return its number."""
        edge = len(self.children)
        self.children.append(children)
        self.edges[node].append(edge)
        nothing = {"edge_place": NONE, "moved_to": NONE}
        _make_room(self._of_edges, edge, {**nothing, "owner": node, "prior": prior})
        self._of_nodes["size"][node] += 1
        if children[1] != NONE:
            for child in children:
                self.parents[child].add(edge)
        return edge

    def lead(self, edge: int, old: int, new: int) -> None:
        """Redirect an edge to another node."""
        prime, sub = self.children[edge]
        self.children[edge] = (new, sub) if prime == old else (prime, new)
        self.parents[new].add(edge)
        self._leave(old, edge)

    def drop(self, edge: int) -> None:
        """Drop an edge, and all nodes that no other edge leads to."""
        node = self.owner(edge)
        self.edges[node].remove(edge)
        self._of_nodes["size"][node] -= 1
        self._of_edges["owner"][edge] = NONE
        if self.children[edge][1] != NONE:
            for child in self.children[edge]:
                self._leave(child, edge)

    def move(self, place: int, rows: Ids, moved: Iterable[tuple[int, int]]) -> None:
        """Move rows to other edges at a place."""
        moved_to, owner = self._of_edges["moved_to"], self._of_edges["owner"]
        pairs = list(moved)
        for old, new in pairs:
            moved_to[old] = new
        taken = self.edge[place, rows]
        target = moved_to[taken]
        changed = target >= 0
        weights = self.weights[:, rows[changed]]
        self._count(taken[changed], weights, -1.0)
        self._count(target[changed], weights, 1.0)
        self.edge[place, rows[changed]] = target[changed]
        for old, _ in pairs:
            moved_to[old] = NONE
        self.weigh({int(owner[edge]) for pair in pairs for edge in pair})

    def weigh(self, nodes: Iterable[int]) -> None:
        """Set the probabilities of the edges of nodes."""
        of_edges, total = self._of_edges, self._of_nodes["node_train"]
        for node in nodes:
            own = self.edges[node]
            pseudo = self.smoothing * of_edges["prior"][own]
            whole = total[node] + self.smoothing
            shares = (of_edges["train"][own] + pseudo) / whole if whole > 0.0 else 1.0 / len(own)
            of_edges["share"][own] = shares

    def row_scores(self) -> Floats:
        """Return the log-probability of each row, (rows,)."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.shares())
        found = np.zeros(self.edge.shape[1])
        for edges in self.edge:
            found += logs[edges]
        return found

    def reweigh(self, weights: Floats) -> None:
        """Re-estimate all probabilities from other weights of the rows."""
        self.weights = weights
        for name in ("train", "held"):
            self._of_edges[name][:] = 0.0
        for name in ("node_train", "node_held"):
            self._of_nodes[name][:] = 0.0
        for edges in self.edge:
            self._count(edges, weights, 1.0)
        self.weigh(node for node in range(len(self.places)) if self.edges[node])

    def _count(self, edges: Ids, weights: Floats, sign: float) -> None:
        owner = self._of_edges["owner"][edges]
        for name, own in zip(("train", "held"), weights, strict=True):
            np.add.at(self._of_edges[name], edges, sign * own)
            np.add.at(self._of_nodes[f"node_{name}"], owner, sign * own)

    def _leave(self, node: int, edge: int) -> None:
        self.parents[node].discard(edge)
        if not self.parents[node]:
            for own in list(self.edges[node]):
                self.drop(own)


def _make_room(columns: dict[str, AnyArray], position: int, first: dict[str, float]) -> None:
    """Initialise one entry of all arrays, which grow by half if they are full."""
    for name, column in columns.items():
        if position >= column.size:
            columns[name] = np.concatenate([column, np.zeros(16 + column.size // 2, column.dtype)])
        columns[name][position] = first.get(name, 0)
