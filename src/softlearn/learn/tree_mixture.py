"""Learn mixtures of Chow–Liu trees by EM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from softlearn.arrays import Floats, Ids, Kinds, Offsets
from softlearn.circuit import Circuit
from softlearn.learn.state_splits import naive_bayes_clusters
from softlearn.learn.trees import Measured, TreeBuilder
from softlearn.learn.watch import Engine, Progress
from softlearn.numeric_policy import EM_TOLERANCE, MIXTURE_START, NEGLIGIBLE_WEIGHT
from softlearn.stats.bins import MISSING
from softlearn.stats.mutual_information import mutual_information, pair_sums, spanning_tree
from softlearn.stats.states import SomeRows, States, all_rows, states_of

_PRICE_PER_COLUMN = 0.1  # of the first clusters, in nats: low, so that there are enough of them


def mixture_of_trees(
    builder: TreeBuilder, n_trees: int, max_iter: int, rng: np.random.Generator, engine: Engine
) -> Circuit:
    """Return the mixture; EM reads numbers as bins."""
    some = all_rows(builder.table)
    progress = Progress(float(max_iter))
    with threadpool_limits(1, user_api="blas"):  # the matrices are small
        states = states_of(builder.table, some)
        shares = _first_shares(builder, states, n_trees, rng)
        before = -np.inf
        for _ in range(max_iter):
            every = [_tree_scores(builder, states, some.columns, own) for own in shares]
            scores = np.stack(every)
            largest = scores.max(axis=0)
            likelihood = np.exp(scores - largest)
            shares = likelihood / likelihood.sum(axis=0)
            mean = float(np.average(largest + np.log(likelihood.sum(axis=0)), weights=some.weights))
            progress.note(0, 1.0)
            engine.watch(progress)
            if mean - before <= EM_TOLERANCE * abs(mean):
                break
            before = mean
        return _write(builder, some, shares, progress, engine)


def _first_shares(
    builder: TreeBuilder, states: States, n_trees: int, rng: np.random.Generator
) -> Floats:
    """Return the initial memberships of the rows, (trees, rows)."""
    price = _PRICE_PER_COLUMN * states.n_states.size
    found = naive_bayes_clusters(states, rng, builder.config.smoothing, price, n_trees)
    n_found = int(found.max()) + 1
    rest = (1.0 - MIXTURE_START) / max(n_found - 1, 1)
    return np.where(found == np.arange(n_found)[:, None], MIXTURE_START, rest)


def _tree_scores(builder: TreeBuilder, states: States, columns: Ids, shares: Floats) -> Floats:
    """Fit a tree to the weighted rows, and return the log-probability of each row."""
    own = replace(states, weights=states.weights * shares)
    pairs = pair_sums(own)
    parent = spanning_tree(mutual_information(pairs, builder.config.smoothing))
    tables = builder.tables_of(columns, Measured(own, pairs, parent))
    mass = max(float(own.weights.sum()), NEGLIGIBLE_WEIGHT)
    found: Floats = log_probabilities(states.codes, parent, tables)
    found += np.log(mass / states.weights.sum())
    return found


def log_probabilities(codes: Kinds, parent: Offsets, tables: list[Floats]) -> Floats:
    """Return the log-probability of the states of rows in a tree; missing cells are summed out.

    Parameters
    ----------
    codes
        (columns, rows) states, 255 where missing.
    parent
        (columns,) -1 for roots.
    tables
        For each column the probability of its states given each of its parent's, or (1, states).
    """
    n_rows = codes.shape[1]
    total, message = np.zeros(n_rows), [np.ones((1, 1))] * parent.size
    for place in _children_first(parent):
        table = tables[place]  # (given, states)
        known = codes[place] != MISSING
        value = np.where(known[:, None], codes[place][:, None] == np.arange(table.shape[1]), 1.0)
        given = (value * message[place]) @ table.T
        largest = given.max(axis=1)
        with np.errstate(divide="ignore"):
            total += np.log(largest)
        given /= np.where(largest > 0.0, largest, 1.0)[:, None]
        if parent[place] >= 0:
            message[parent[place]] = message[parent[place]] * given
    return total


def _children_first(parent: Offsets) -> list[int]:
    """Return all places, each before its parent."""
    depth = np.zeros(parent.size, np.int64)
    above = parent.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return [int(place) for place in np.argsort(-depth, kind="stable")]


def _write(
    builder: TreeBuilder, some: SomeRows, shares: Floats, progress: Progress, engine: Engine
) -> Circuit:
    """Return the circuit of the trees, fitted to the rows by their memberships."""
    roots, masses = [], []
    for own in shares:
        weights = some.weights * own
        if weights.sum() > 0.0:
            kept = own > NEGLIGIBLE_WEIGHT if (own > NEGLIGIBLE_WEIGHT).any() else own > 0.0
            roots.append(builder.add(SomeRows(some.rows[kept], weights[kept], some.columns)))
            masses.append(float(weights.sum()))
    root = builder.draft.add_sum(roots, np.array(masses) / sum(masses))
    progress.note(builder.draft.n_nodes, progress.total - progress.done)
    engine.watch(progress)
    return builder.draft.circuit(root)
