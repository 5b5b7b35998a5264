"""Mutual information of all pairs against each pair by itself; the best tree against all trees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.stats.mutual_information import (
    chow_liu_tree,
    mutual_information,
    pair_sums,
    spanning_tree,
)
from softlearn.stats.states import MOST_BINS, SomeRows, all_rows, state_of_level
from softlearn.stats.states import states_of as states_of_some
from softlearn.stats.table import training_table
from softlearn.table.schema import Column, Schema

TABLES = [("bbbbbb", 0.0), ("bb2b", 0.2), ("b3n9nb", 0.3), ("9935", 0.0), ("nnn", 0.1)]


def table_of(kinds, n_rows=300, gaps=0.0):
    values = with_gaps(mixture(kinds, n_rows), gaps)
    weights = np.random.default_rng(1).uniform(0.1, 3.0, n_rows)
    return training_table(values, weights, schema_of(kinds))


def states_of(table):
    return states_of_some(table, all_rows(table))


def plain_table(states, i, j):
    """The table of two columns, row by row."""
    table = np.zeros((states.n_states[i], states.n_states[j]))
    for a, b, w in zip(states.codes[i], states.codes[j], states.weights, strict=True):
        if a != 255 and b != 255:
            table[a, b] += w
    return table


def plain_information(table, smoothing=0.0):
    p = table / table.sum()
    independent = np.outer(p.sum(1), p.sum(0))
    p = (table + smoothing * independent) / (table.sum() + smoothing)
    return np.sum(p[p > 0] * np.log(p[p > 0] / independent[p > 0]))


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize("smoothing", [0.0, 5.0])
def test_information_is_that_of_each_pair_by_itself(kinds, gaps, smoothing):
    states = states_of(table_of(kinds, gaps=gaps))
    pairs = pair_sums(states)
    found = mutual_information(pairs, smoothing)
    for i in range(len(kinds)):
        for j in range(len(kinds)):
            expected = plain_table(states, i, j)
            assert pairs.table(i, j) == pytest.approx(expected, abs=1e-9)
            pseudo_rows = 0.0 if i == j else smoothing  # a column's entropy is not smoothed
            assert found[i, j] == pytest.approx(plain_information(expected, pseudo_rows))


def test_columns_never_observed_together_say_nothing():
    values = mixture("bb", 40)
    values[0, :20] = values[1, 20:] = np.nan
    states = states_of(training_table(values, np.ones(40), schema_of("bb")))
    assert mutual_information(pair_sums(states), 1.0)[0, 1] == 0.0
    assert chow_liu_tree(states).tolist() == [-1, -1]


def test_a_constant_column_is_a_tree_by_itself():
    values = mixture("bbb", 100, n_groups=2)
    values[1] = 1.0
    parent = chow_liu_tree(states_of(training_table(values, np.ones(100), schema_of("bbb"))))
    assert parent[1] == -1
    assert 1 not in parent


def test_rows_and_columns_can_be_chosen():
    table = table_of("b3nb", gaps=0.1)
    rows, columns = np.arange(5, 90, dtype=np.int32), np.array([3, 1], np.int32)
    weights = table.weights[rows] / 2.0
    states = states_of_some(table, SomeRows(rows, weights, columns))
    whole = states_of(table)
    assert np.array_equal(states.codes, whole.codes[[3, 1]][:, 5:90])
    assert states.n_states.tolist() == [2, 3]
    assert states.weights is weights


@pytest.mark.parametrize(("n_rows", "most"), [(50, 2), (400, 6), (5000, MOST_BINS)])
def test_numbers_have_few_bins_of_equal_weight(n_rows, most):
    rng = np.random.default_rng(0)
    table = training_table(rng.normal(size=(1, n_rows)), np.ones(n_rows), schema_of("n"))
    states = states_of(table)
    assert states.n_states[0] == most
    shares = np.bincount(states.codes[0]) / n_rows
    assert shares == pytest.approx(np.full(most, 1.0 / most), abs=0.03)


def test_rare_levels_of_many_share_a_state():
    schema = Schema((Column("c", "categorical", tuple(f"l{i}" for i in range(60))),))
    codes = np.concatenate([np.arange(50), np.arange(10, 50), np.arange(10, 50)])
    table = training_table(codes[None].astype(float), np.ones(codes.size), schema)
    states, level = states_of(table), state_of_level(table, 0)
    assert states.n_states[0] == level.max() + 1 == 32
    assert np.unique(level[10:41]).size == 31
    assert np.unique(level[[0, 9, 45, 55]]).size == 1


def tree_gain(gain, parent):
    return sum(gain[i, p] for i, p in enumerate(parent) if p >= 0)


def is_forest(parent):
    for i in range(len(parent)):
        node, steps = i, 0
        while parent[node] >= 0 and steps <= len(parent):
            node, steps = parent[node], steps + 1
        if steps > len(parent):
            return False
    return True


@given(seed=st.integers(0, 1000), n=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_no_tree_gains_more(seed, n):
    rng = np.random.default_rng(seed)
    gain = rng.random((n, n)) * (rng.random((n, n)) < 0.7)
    gain = gain + gain.T
    every = [p for p in product(range(-1, n), repeat=n) if is_forest(p)]
    found = spanning_tree(gain).tolist()
    assert is_forest(found)
    assert tree_gain(gain, found) == pytest.approx(max(tree_gain(gain, p) for p in every))
    assert all(gain[i, p] > 0 for i, p in enumerate(found) if p >= 0)


def test_a_chain_is_found():
    rng = np.random.default_rng(0)
    values = np.empty((6, 2000))
    values[0] = rng.random(2000) < 0.5
    for i in range(1, 6):
        values[i] = np.where(rng.random(2000) < 0.2, 1 - values[i - 1], values[i - 1])
    states = states_of(training_table(values, np.ones(2000), schema_of("bbbbbb")))
    assert chow_liu_tree(states).tolist() == [-1, 0, 1, 2, 3, 4]
