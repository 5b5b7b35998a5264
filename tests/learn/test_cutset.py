"""Cutset networks and random circuits: what they cut, what they take back, what they are worth."""

from itertools import product

import numpy as np
import pytest

from learn.table_examples import learn, mixture, schema_of, with_gaps
from softlearn.circuit import describe
from softlearn.circuit.determinism import is_deterministic
from softlearn.query import Evidence, log_likelihood


def score(circuit, values):
    return float(log_likelihood(circuit, Evidence(values)).mean())


def exclusive_or(n_rows=2000):
    """Three columns of which no pair says anything, and a fourth that is alone."""
    rng = np.random.default_rng(0)
    a, b, c = rng.random((3, n_rows)) < 0.5
    return np.stack([a, b, a ^ b, c]).astype(float)


def test_a_cut_finds_what_no_tree_can():
    values, schema = exclusive_or(), schema_of("bbbb")
    tree = score(learn("chowliutree", values, schema), values)
    cut = score(learn("cutsetnetwork", values, schema), values)
    assert tree == pytest.approx(4 * np.log(0.5), abs=0.01)
    assert cut == pytest.approx(3 * np.log(0.5), abs=0.01)


def test_cuts_that_are_not_worth_their_parameters_are_taken_back():
    values = (np.random.default_rng(1).random((6, 1000)) < 0.3).astype(float)
    tree = learn("chowliutree", values, schema_of("bbbbbb"))
    pruned = learn("cutsetnetwork", values, schema_of("bbbbbb"))
    full = learn("cutsetnetwork", values, schema_of("bbbbbb"), penalty=0.0)
    assert pruned.n_nodes == tree.n_nodes
    assert full.n_nodes > 2 * tree.n_nodes


def test_no_cut_at_all_is_a_tree():
    values = mixture("b3b2n", 400)
    tree = learn("chowliutree", values, schema_of("b3b2n"))
    cut = learn("cutsetnetwork", values, schema_of("b3b2n"), max_depth=0)
    assert score(cut, values) == pytest.approx(score(tree, values))


@pytest.mark.parametrize("variant", ["informative", "random"])
def test_levels_that_nobody_has_stay_possible(variant):
    """Level 4 of the second column is never seen; its branch is as all rows are."""
    values = mixture("b5b", 600)
    values[1] = np.minimum(values[1], 3.0)
    circuit = learn("cutsetnetwork", values, schema_of("b5b"), variant=variant, penalty=0.0)
    every = np.array(list(product(range(2), range(5), range(2))), dtype=float).T
    found = np.exp(log_likelihood(circuit, Evidence(every)))
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0.0).all()
    assert is_deterministic(circuit)


@pytest.mark.parametrize("learner", ["cutsetnetwork", "randomcircuits"])
def test_missing_cells_of_the_columns_that_cut_are_shared_out(learner):
    """With a third of the cells missing the exclusive or is still there, if not as sharp."""
    values = exclusive_or(6000)
    circuit = learn(learner, with_gaps(values, 0.33), schema_of("bbbb"))
    assert score(circuit, values) > 4 * np.log(0.5) + 0.1


def test_rows_without_the_cell_that_is_cut_by_keep_their_weight():
    """The first column tells most of the others; where the last is 1, it is mostly missing."""
    rng = np.random.default_rng(0)
    first, last = rng.random((2, 3000)) < 0.5
    noisy = [first ^ (rng.random(3000) < 0.1) for _ in range(2)]
    values = np.stack([first, *noisy, last]).astype(float)
    values[0, last & (rng.random(3000) < 0.8)] = np.nan
    circuit = learn("cutsetnetwork", values, schema_of("bbbb"), penalty=0.0, max_depth=1)
    found = log_likelihood(circuit, Evidence(np.array([[np.nan], [np.nan], [np.nan], [1.0]])))
    assert np.exp(found) == pytest.approx(last.mean(), abs=0.01)


def test_most_probable_rows_are_exact_and_said_to_be():
    circuit = learn("cutsetnetwork", exclusive_or(), schema_of("bbbb"))
    assert describe(circuit).deterministic
    several = learn("cutsetnetwork", exclusive_or(), schema_of("bbbb"), n_members=3)
    assert not describe(several).deterministic


def test_random_parts_are_never_too_small():
    values = mixture("bbb3n", 1000)
    one = learn("randomcircuits", values, schema_of("bbb3n"), n_members=1, min_rows=500)
    more = learn("randomcircuits", values, schema_of("bbb3n"), n_members=1, min_rows=20)
    none = learn("randomcircuits", values, schema_of("bbb3n"), n_members=1, min_rows=501)
    tree = learn("chowliutree", values, schema_of("bbb3n"))
    assert none.n_nodes == tree.n_nodes
    assert tree.n_nodes <= one.n_nodes < more.n_nodes


def test_numbers_split_rows_too():
    values = np.random.default_rng(0).normal(size=(2, 3000))
    values[1] = np.where(values[0] ** 2 > 0.5, 3.0, -3.0) + 0.2 * values[1]
    circuit = learn("randomcircuits", values, schema_of("nn"))
    apart = learn("softlearn", values, schema_of("nn"), max_depth=0)
    assert score(circuit, values) > score(apart, values) + 1.0


def test_members_are_better_than_one(nltcs):
    train, test = (np.asarray(part).T.astype(float) for part in (nltcs.train, nltcs.test))
    schema = schema_of("b" * train.shape[0])
    one = score(learn("cutsetnetwork", train, schema), test)
    ten = score(learn("randomcircuits", train, schema), test)
    assert one > -6.10  # the published figure of cutset networks
    assert ten > one + 0.02
