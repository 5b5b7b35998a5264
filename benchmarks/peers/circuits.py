"""The circuits and rows that all systems are asked about, written where scripts read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.workloads import CATEGORICAL, GAUSSIAN, rows_of, schema_of, tree
from softlearn import HCLT
from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit
from softlearn.query import sample

N_ROWS = 4_096
N_STATES = 10  # of the hidden variables of Chow-Liu trees over a hundred two-level columns


def two_level_tree() -> Circuit:
    """Return the tree of the other benchmarks over 100 two-level columns, 10,000 edges."""
    return tree(100, 10_000)


def gaussian_tree() -> Circuit:
    """Return the tree of the other benchmarks over 20 columns of numbers, 10,000 edges."""
    return tree(20, 10_000, n_levels=0)


def hidden_tree() -> Circuit:
    """Return a hidden Chow-Liu tree learnt in one pass from rows of the two-level tree."""
    drawn = sample(two_level_tree(), 2_000, np.random.default_rng(0)).T.astype(bool)
    rows = pd.DataFrame(drawn).rename(columns="x{}".format)
    learnt = HCLT(n_states=N_STATES, max_iter=1, random_state=0).fit(rows)
    return learnt.model_.circuit


def mixture(n_columns: int, n_components: int, *, n_levels: int) -> Circuit:
    """Return a mixture of products of independent columns."""
    rng = np.random.default_rng(5)
    n_leaves = n_columns * n_components
    first = rng.normal(0.0, 2.0, n_leaves) if n_levels == 0 else rng.uniform(0.1, 0.9, n_leaves)
    second = rng.uniform(0.2, 2.0, n_leaves) if n_levels == 0 else 1.0 - first
    counts = [0] * n_leaves + [n_columns] * n_components + [n_components]
    weights = np.concatenate([np.ones(n_leaves), rng.dirichlet(np.ones(n_components))])
    return Circuit(
        schema=schema_of(n_columns, n_levels),
        kind=np.array([LEAF] * n_leaves + [PRODUCT] * n_components + [SUM]),
        edge_start=np.concatenate([[0], np.cumsum(counts)]),
        child=np.arange(n_leaves + n_components),
        weight=weights,
        leaf_column=np.tile(np.arange(n_columns), n_components),
        leaf_family=np.full(n_leaves, GAUSSIAN if n_levels == 0 else CATEGORICAL),
        param_start=2 * np.arange(n_leaves + 1),
        params=np.stack([first, second], axis=1).ravel(),
    )


CIRCUITS = {
    "tree, two levels": two_level_tree,
    "tree, Gaussian": gaussian_tree,
    "hidden Chow-Liu tree, two levels": hidden_tree,
    "mixture, two levels": lambda: mixture(100, 100, n_levels=2),
    "mixture, Gaussian": lambda: mixture(20, 500, n_levels=0),
}


def write(name: str, circuit: Circuit, folder: Path) -> None:
    """Write a circuit and rows drawn from it, all of them whole and with half the cells gone."""
    whole = rows_of(circuit, N_ROWS).values.T
    half = rows_of(circuit, N_ROWS, missing="cells").values.T
    np.savez(
        folder / f"{name}.npz",
        rows=whole,
        gaps=half,
        kind=circuit.kind,
        edge_start=circuit.edge_start,
        child=circuit.child,
        weight=circuit.weight,
        leaf_column=circuit.leaf_column,
        params=circuit.params.reshape(circuit.n_leaves, -1),
    )
