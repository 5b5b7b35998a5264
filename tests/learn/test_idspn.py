"""ID-SPN: a tree where a tree is enough, clusters and parts where they are worth their price."""

import numpy as np
import pytest

from learn.table_examples import learn, mixture, schema_of
from softlearn.circuit import PRODUCT, SUM
from softlearn.query import Evidence, log_likelihood


def score(circuit, values):
    return float(log_likelihood(circuit, Evidence(values)).mean())


def chain(n_columns, n_rows, seed=0):
    """Each column mostly as the one before it: a tree tells all."""
    rng = np.random.default_rng(seed)
    values = np.empty((n_columns, n_rows))
    values[0] = rng.random(n_rows) < 0.5
    for i in range(1, n_columns):
        values[i] = np.where(rng.random(n_rows) < 0.2, 1 - values[i - 1], values[i - 1])
    return values


def test_a_tree_is_left_as_it_is():
    values, schema = chain(8, 1500), schema_of("b" * 8)
    tree = learn("chowliutree", values, schema)
    found = learn("idspn", values, schema)
    assert found.n_nodes == tree.n_nodes
    assert score(found, values) == pytest.approx(score(tree, values))


def test_groups_of_rows_are_told_by_a_sum():
    rng = np.random.default_rng(0)
    group = rng.random(2000) < 0.5
    values = (rng.random((8, 2000)) < np.where(group, 0.85, 0.15)).astype(float)
    found = learn("idspn", values, schema_of("b" * 8))
    assert found.kind[-1] == SUM
    assert score(found, values) > score(learn("chowliutree", values, schema_of("b" * 8)), values)


def test_independent_groups_of_columns_are_told_by_a_product():
    rng = np.random.default_rng(0)
    group = rng.random((2, 2000)) < 0.5
    likely = np.where(np.repeat(group, 6, axis=0), 0.85, 0.15)
    values = (rng.random((12, 2000)) < likely).astype(float)
    found = learn("idspn", values, schema_of("b" * 12), significance=1e-4)
    assert found.kind[-1] == PRODUCT
    below = found.child[found.edge_start[-2] : found.edge_start[-1]]
    assert (found.kind[below] == SUM).all()


def test_a_higher_price_gives_a_smaller_circuit():
    values, schema = mixture("bb3bbb3b", 1000, n_groups=6), schema_of("bb3bbb3b")
    sizes = [learn("idspn", values, schema, penalty=penalty).n_nodes for penalty in (0.1, 1.0, 50)]
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[2] == learn("chowliutree", values, schema).n_nodes
