"""Mixtures of trees by EM, and the probabilities of rows in a tree."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.table_examples import learn, mixture, schema_of, tables, with_gaps
from softlearn.circuit import SUM, violations
from softlearn.learn.tree_mixture import log_probabilities
from softlearn.query import Evidence, log_likelihood


def fitted(values, schema, n_trees=4, **choices):
    return learn("chowliutree", values, schema, n_members=n_trees, mixture="em", **choices)


def scores(circuit, values):
    return log_likelihood(circuit, Evidence(values))


def random_tree(rng):
    """A tree of four columns of two and three states."""
    parent, n_states = np.array([-1, 0, 0, 2]), [2, 3, 2, 3]
    given_states = [1, 2, 2, 2]
    tables = [rng.dirichlet(np.ones(n), g) for n, g in zip(n_states, given_states, strict=True)]
    return parent, n_states, tables


def test_missing_cells_are_summed_out():
    rng = np.random.default_rng(0)
    parent, n_states, tables = random_tree(rng)
    every = np.array(list(product(*map(range, n_states)))).T
    each = np.exp(log_probabilities(every.astype(np.uint8), parent, tables))
    plain = [
        np.prod([t[0 if parent[i] < 0 else row[parent[i]], row[i]] for i, t in enumerate(tables)])
        for row in every.T
    ]
    assert each == pytest.approx(plain)
    assert each.sum() == pytest.approx(1.0)
    some = np.array([[1, 255], [255, 255], [255, 0], [2, 255]], np.uint8)
    found = np.exp(log_probabilities(some, parent, tables))
    first = each[(every[0] == 1) & (every[3] == 2)].sum()
    assert found == pytest.approx([first, each[every[2] == 0].sum()])


def test_trees_of_groups_are_found_together():
    """In one group neighbours agree, in the other they differ: one tree sees neither."""
    rng = np.random.default_rng(0)
    agree = rng.random(3000) < 0.5
    values = (rng.random((6, 3000)) < 0.5).astype(float)
    for i in (1, 3, 5):
        values[i] = np.where(agree, values[i - 1], 1 - values[i - 1])
    one = scores(learn("chowliutree", values, schema_of("b" * 6)), values).mean()
    two = scores(fitted(values, schema_of("b" * 6), 6), values).mean()
    assert one < 6 * np.log(0.5) + 0.4
    assert two > one + 0.5


def test_more_steps_never_make_the_training_rows_less_likely():
    values, schema = with_gaps(mixture("bb3bb2b", 600, n_groups=5), 0.1), schema_of("bb3bb2b")
    means = [
        scores(fitted(values, schema, max_iter=n, smoothing=0.01), values).mean()
        for n in (1, 3, 10, 30)
    ]
    # Not quite: pseudo-rows are no part of the likelihood.
    assert all(later > earlier - 0.005 for earlier, later in pairwise(means))
    assert means[-1] > means[0]


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_circuit_is_sound_on_any_table(data):
    values, schema = data.draw(tables())
    circuit = fitted(values, schema)
    assert violations(circuit) == []
    assert np.isfinite(scores(circuit, values)).all()
    order = np.random.default_rng(0).permutation(values.shape[1])
    must_equal(circuit, fitted(values[:, order], schema))


def test_there_are_no_more_trees_than_members():
    values = mixture("bbbb3", 500)
    circuit = fitted(values, schema_of("bbbb3"), 3)
    assert circuit.kind[-1] == SUM
    assert circuit.edge_start[-1] - circuit.edge_start[-2] <= 3
