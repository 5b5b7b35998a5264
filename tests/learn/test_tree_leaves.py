"""Chow–Liu trees where growing ends."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit_examples import must_equal
from learn.table_examples import GROWERS, learn, mixture, schema_of, tables, with_gaps
from softlearn import SoftLearn
from softlearn.circuit import violations
from softlearn.errors import SoftlearnError
from softlearn.query import Evidence, log_likelihood

every_grower = pytest.mark.parametrize("grower", GROWERS)


def scores(circuit, values):
    return log_likelihood(circuit, Evidence(values))


@every_grower
def test_without_a_split_it_is_a_chow_liu_tree(grower):
    values, schema = with_gaps(mixture("b3bn2", 300), 0.1), schema_of("b3bn2")
    choices = {"smoothing": 0.5, "smoothing_per": "column"}
    grown = learn(grower, values, schema, leaf="chow-liu", max_depth=0, **choices)
    tree = learn("chowliutree", values, schema, **choices)
    assert scores(grown, values) == pytest.approx(scores(tree, values))


@every_grower
@given(data=st.data(), min_rows=st.sampled_from([0, 5, 20]))
@settings(max_examples=15, deadline=None)
def test_the_circuit_is_sound_on_any_table(grower, data, min_rows):
    values, schema = data.draw(tables())
    circuit = learn(grower, values, schema, leaf="chow-liu", min_rows=min_rows)
    assert violations(circuit) == []
    assert np.isfinite(scores(circuit, values)).all()
    order = np.random.default_rng(0).permutation(values.shape[1])
    again = learn(grower, values[:, order], schema, leaf="chow-liu", min_rows=min_rows, n_jobs=3)
    must_equal(circuit, again)


@every_grower
def test_probabilities_of_all_rows_add_to_one(grower):
    values = mixture("bb3bb2", 500)
    circuit = learn(grower, values, schema_of("bb3bb2"), leaf="chow-liu", min_rows=100)
    levels = [range(2 if kind == "b" else int(kind)) for kind in "bb3bb2"]
    every = np.array(list(product(*levels)), dtype=float).T
    assert np.exp(scores(circuit, every)).sum() == pytest.approx(1.0)


@every_grower
def test_a_chain_is_told_better_by_trees_than_by_parts(grower):
    rng = np.random.default_rng(0)
    values = np.empty((12, 1500))
    values[0] = rng.random(1500) < 0.5
    for i in range(1, 12):
        values[i] = np.where(rng.random(1500) < 0.15, 1 - values[i - 1], values[i - 1])
    train, test, schema = values[:, :1000], values[:, 1000:], schema_of("b" * 12)
    trees = scores(learn(grower, train, schema, leaf="chow-liu", min_rows=400), test).mean()
    parts = scores(learn(grower, train, schema), test).mean()
    assert trees > parts + 0.05


@every_grower
def test_fewer_rows_than_the_least_are_not_split(grower):
    values, schema = mixture("bbbbb", 400), schema_of("bbbbb")
    assert learn(grower, values, schema, min_rows=401).n_nodes == 6
    assert learn(grower, values, schema, min_rows=400).n_nodes > 6


def test_trees_are_for_all_columns_or_none():
    with pytest.raises(SoftlearnError, match="leaf must be 'gaussian' or 'histogram'"):
        SoftLearn(leaf={"0": "chow-liu"}).fit(np.random.default_rng(0).normal(size=(20, 2)))
