"""Tables that the tests of the learners share: codes and numbers made for this room."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from softlearn.circuit import LEAF, Circuit
from softlearn.learn import LEARNERS, Block, Engine, Entry
from softlearn.table.schema import Column, Schema

LETTERS = tuple("abcdefghij")
GROWERS = [name for name, entry in LEARNERS.items() if entry.promises.grower]


def schema_of(kinds: str) -> Schema:
    """One column a letter: b boolean, n numeric, 1 to 9 categorical with so many levels."""
    made = []
    for i, kind in enumerate(kinds):
        if kind == "b":
            made.append(Column(f"c{i}", "boolean"))
        elif kind == "n":
            made.append(Column(f"c{i}", "numeric"))
        else:
            made.append(Column(f"c{i}", "categorical", LETTERS[: int(kind)]))
    return Schema(tuple(made))


def learn(
    learner: str | Entry,
    values: np.ndarray,
    schema: Schema,
    *,
    weights: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    cuts: tuple[int, ...] = (),
    **choices: object,
) -> Circuit:
    """Run a learner on one table, cut into blocks at the given rows."""
    weights = np.ones(values.shape[1]) if weights is None else weights
    edges = (0, *cuts, values.shape[1])
    blocks = [Block(values[:, start:end], weights[start:end]) for start, end in pairwise(edges)]
    if not cuts:  # weights of a wrong length go in as they are
        blocks = [Block(values, weights)]
    entry = LEARNERS[learner] if isinstance(learner, str) else learner
    config, chance = entry.config(**choices), np.random.SeedSequence(seed)
    return entry.learn(blocks, schema, config, chance, Engine(n_jobs=n_jobs))


# Of the parameters that say how large a circuit is: values with which many can be learnt.
_SMALL = {
    "n_inputs": 3,
    "n_members": 3,
    "n_nodes": 3,
    "n_pieces": 3,
    "n_replicas": 2,
    "n_states": 4,
    "n_sums": 3,
}


def small(entry: Entry) -> dict[str, int]:
    """Return settings with which a learner makes small circuits, where its defaults do not."""
    sizes = {name: one.default for name, one in entry.parameters.items() if name in _SMALL}
    return {name: _SMALL[name] for name, size in sizes.items() if size > _SMALL[name]}


def mixture(kinds: str, n_rows: int, *, seed: int = 0, n_groups: int = 4) -> np.ndarray:
    """Rows of a few groups, each with its own favourite level or mean in every column."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n_rows)
    values = np.empty((len(kinds), n_rows))
    for i, kind in enumerate(kinds):
        if kind == "n":
            values[i] = rng.normal(0.0, 3.0, n_groups)[group] + rng.normal(size=n_rows)
        else:
            levels = 2 if kind == "b" else int(kind)
            favourite = rng.integers(0, levels, n_groups)[group]
            noise = rng.random(n_rows) < 0.15
            values[i] = np.where(noise, rng.integers(0, levels, n_rows), favourite)
    return values


def with_gaps(values: np.ndarray, share: float, *, seed: int = 0) -> np.ndarray:
    """The same table with this share of its cells missing."""
    gaps = np.random.default_rng(seed).random(values.shape) < share
    return np.where(gaps, np.nan, values)


@st.composite
def tables(
    draw, *, kinds: str = "bn1239", gaps: bool = True, max_rows: int = 60, max_columns: int = 6
) -> tuple[np.ndarray, Schema]:
    """Mixed tables: groups of rows, constant columns, ties, gaps, empty rows and columns."""
    kinds = draw(st.text(kinds, min_size=1, max_size=max_columns))
    n_rows = draw(st.integers(2, max_rows))
    values = mixture(kinds, n_rows, seed=draw(st.integers(0, 10_000)))
    for i, kind in enumerate(kinds):
        shapes = ["as it is", "constant", "ties", *["missing"] * gaps]
        shape = draw(st.sampled_from(shapes))
        if shape == "constant":
            values[i] = values[i, 0]
        elif shape == "missing":
            values[i] = np.nan
        elif shape == "ties" and kind == "n":
            values[i] = np.round(values[i])
    if not gaps:
        return values, schema_of(kinds)
    share = draw(st.sampled_from([0.0, 0.05, 0.5, 0.95]))
    values = with_gaps(values, share, seed=draw(st.integers(0, 100)))
    if draw(st.booleans()):
        values[:, draw(st.integers(0, n_rows - 1))] = np.nan
    return values, schema_of(kinds)


def is_factorised(circuit: Circuit) -> bool:
    """Whether the circuit is one product of leaves (one leaf, if there is one column)."""
    n_columns = len(circuit.schema)
    n_leaves = np.count_nonzero(circuit.kind == LEAF)
    return n_leaves == n_columns and circuit.kind.size == n_columns + (n_columns > 1)


def inner_depth(circuit: Circuit) -> int:
    """The largest number of inner nodes on a path from the root."""
    depth = np.zeros(circuit.kind.size, dtype=int)
    for node in range(circuit.kind.size):
        below = circuit.child[circuit.edge_start[node] : circuit.edge_start[node + 1]]
        depth[node] = 0 if circuit.kind[node] == LEAF else 1 + max(depth[below])
    return int(depth[-1])


def leaf_params(circuit: Circuit, column: int) -> list[np.ndarray]:
    """The parameters of all leaves over one column."""
    starts = circuit.param_start
    return [
        circuit.params[starts[leaf] : starts[leaf + 1]]
        for leaf in np.flatnonzero(circuit.leaf_column == column)
    ]
