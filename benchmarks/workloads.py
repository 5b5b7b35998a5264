"""Named circuits with fixed seeds, and evidence drawn from the circuits themselves."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit
from softlearn.leaf import FAMILIES, family_named
from softlearn.query import Evidence, sample
from softlearn.table.schema import Column, Schema

CATEGORICAL = FAMILIES.index(family_named("categorical"))
GAUSSIAN = FAMILIES.index(family_named("gaussian"))


@dataclass(frozen=True)
class Workload:
    """A circuit to measure, and how many rows make a measurement of some tens of milliseconds."""

    name: str
    about: str
    build: Callable[[], Circuit]
    n_rows: int


def tree(n_columns: int, n_edges: int, *, n_levels: int = 2, seed: int = 1) -> Circuit:
    """Return a tree as LearnSPN grows it, of about ``n_edges``; 0 levels mean Gaussian leaves.

    Sums of two products over a partition of the scope alternate, the heaviest node first, until
    the edges are spent; what is left becomes products of leaves.
    """
    rng = np.random.default_rng(seed)
    grown = _Grown()
    root = grown.node(SUM)
    scope = rng.permutation(n_columns)
    waiting = [(-1.0, root)]
    scopes = {root: scope}
    pending = n_columns  # edges that the unfinished nodes need at least
    while waiting and len(grown.edges) + pending < n_edges:
        mass, node = heapq.heappop(waiting)
        scope = scopes.pop(node)
        pending -= scope.size
        share = rng.uniform(0.2, 0.8)
        for weight in (share, 1.0 - share):
            product = grown.node(PRODUCT)
            grown.edges.append((node, product, weight))
            for group in _partition(scope, rng):
                if group.size == 1:
                    grown.edges.append((product, grown.leaf(group[0]), 1.0))
                    continue
                below = grown.node(SUM)
                grown.edges.append((product, below, 1.0))
                scopes[below] = group
                pending += group.size
                heapq.heappush(waiting, (mass * weight, below))
    for node, scope in scopes.items():
        grown.kinds[node] = PRODUCT
        grown.edges += [(node, grown.leaf(column), 1.0) for column in scope.tolist()]
    return grown.circuit(n_columns, n_levels, rng)


def dag(n_columns: int, width: int, *, n_levels: int = 2, seed: int = 1) -> Circuit:
    """Return a circuit whose sums share their children: ``width`` sums a region of columns."""
    rng = np.random.default_rng(seed)
    grown = _Grown()
    root = grown.node(SUM)
    regions = [(rng.permutation(n_columns), [root])]
    while regions:
        scope, sums = regions.pop()
        products = [grown.node(PRODUCT) for _ in range(width)]
        for node in sums:
            weights = rng.dirichlet(np.ones(width))
            grown.edges += list(zip([node] * width, products, weights, strict=True))
        for part in np.array_split(scope, 2):
            if part.size == 1:
                below = [grown.leaf(part[0]) for _ in range(width)]
            else:
                below = [grown.node(SUM) for _ in range(width)]
                regions.append((part, below))
            grown.edges += [(p, b, 1.0) for p, b in zip(products, below, strict=True)]
    return grown.circuit(n_columns, n_levels, rng)


def rows_of(circuit: Circuit, n_rows: int, *, missing: str = "none", seed: int = 2) -> Evidence:
    """Return rows drawn from the circuit.

    ``missing`` is "none", "cells" (each row lacks its own half of the columns) or "columns" (all
    rows lack the same half).
    """
    rng = np.random.default_rng(seed)
    values = sample(circuit, n_rows, rng)
    n_columns = values.shape[0]
    if missing == "cells":
        values[rng.random(values.shape) < 0.5] = np.nan
    elif missing == "columns":
        values[rng.permutation(n_columns)[: n_columns // 2]] = np.nan
    return Evidence(values)


WORKLOADS = (
    Workload("tree-1k", "binary", lambda: tree(20, 1_000), 100_000),
    Workload("tree-10k", "binary", lambda: tree(100, 10_000), 16_384),
    Workload("tree-10k-cat4", "4 levels", lambda: tree(100, 10_000, n_levels=4), 16_384),
    Workload("wide-10k", "binary", lambda: tree(1_000, 10_000), 8_192),
    Workload("wide-100k", "binary", lambda: tree(1_000, 100_000), 1_536),
    Workload("narrow-10k", "binary", lambda: tree(20, 10_000), 16_384),
    Workload("gauss-10k", "Gaussian", lambda: tree(20, 10_000, n_levels=0), 4_096),
    Workload("dag-10k", "binary", lambda: dag(128, 8), 4_096),
)


@dataclass
class _Grown:
    """Nodes from the root down, turned round at the end."""

    kinds: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)  # -1 for an inner node
    edges: list[tuple[int, int, float]] = field(default_factory=list)  # parent, child, weight

    def node(self, kind: int) -> int:
        self.kinds.append(kind)
        self.columns.append(-1)
        return len(self.kinds) - 1

    def leaf(self, column: int) -> int:
        self.kinds.append(LEAF)
        self.columns.append(int(column))
        return len(self.kinds) - 1

    def circuit(self, n_columns: int, n_levels: int, rng: np.random.Generator) -> Circuit:
        """Return the flat form: leaves first, then the inner nodes, the root last."""
        kind, column = np.array(self.kinds), np.array(self.columns)
        order = np.arange(kind.size)[::-1]
        order = order[np.argsort(kind[order] != LEAF, kind="stable")]
        place = np.empty(kind.size, np.int64)
        place[order] = np.arange(kind.size)
        parent, child, weight = (np.array(part) for part in zip(*self.edges, strict=True))
        by_parent = np.argsort(place[parent], kind="stable")
        counts = np.bincount(place[parent], minlength=kind.size)
        leaf_column = column[order][: np.count_nonzero(kind == LEAF)]
        params = _leaf_params(leaf_column.size, n_levels, rng)
        return Circuit(
            schema=schema_of(n_columns, n_levels),
            kind=kind[order],
            edge_start=np.concatenate([[0], np.cumsum(counts)]),
            child=place[child[by_parent].astype(np.int64)],
            weight=weight[by_parent],
            leaf_column=leaf_column,
            leaf_family=np.full(leaf_column.size, CATEGORICAL if n_levels else GAUSSIAN),
            param_start=np.arange(leaf_column.size + 1) * params.shape[1],
            params=params.ravel(),
        )


def _partition(scope: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Cut a scope as an independence test does: a few columns leave alone, the rest in groups."""
    scope = rng.permutation(scope)
    if scope.size <= 3:
        return [scope[i : i + 1] for i in range(scope.size)]
    n_alone = max(1, rng.binomial(scope.size, 0.05))
    alone, rest = scope[:n_alone], scope[n_alone:]
    groups = [rest] if rng.random() < 0.7 or rest.size < 4 else np.array_split(rest, 2)
    return [*groups, *(alone[i : i + 1] for i in range(n_alone))]


def _leaf_params(n_leaves: int, n_levels: int, rng: np.random.Generator) -> np.ndarray:
    if n_levels == 0:
        return np.stack([rng.normal(0, 2, n_leaves), rng.uniform(0.2, 2, n_leaves)], axis=1)
    raw = rng.dirichlet(np.full(n_levels, 0.5), n_leaves) + 0.002
    return raw / raw.sum(axis=1, keepdims=True)


def schema_of(n_columns: int, n_levels: int) -> Schema:
    if n_levels == 0:
        return Schema(tuple(Column(f"x{i}", "numeric") for i in range(n_columns)))
    if n_levels == 2:
        return Schema(tuple(Column(f"b{i}", "boolean") for i in range(n_columns)))
    levels = tuple(f"level {k}" for k in range(n_levels))
    return Schema(tuple(Column(f"c{i}", "categorical", levels) for i in range(n_columns)))
