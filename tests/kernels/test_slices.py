"""Slices of indicators, sums over them and shares of rows, against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.weighted_rows import both_forms
from learn.table_examples import mixture, schema_of
from softlearn.kernels.grow.from_python import kept_rows
from softlearn.kernels.grow.slices import FARTHEST, gather, pair_sums, select
from softlearn.stats.table import training_table

pytestmark = pytest.mark.jit_off
seeds = st.integers(0, 10_000)
shapes = st.tuples(st.integers(1, 40), st.integers(0, 9), st.sampled_from([0.0, 0.1, 0.5, 1.0]))


def forms_of(shape, seed):
    n_rows, n_features, density = shape
    return both_forms(seed, n_rows=n_rows, n_features=n_features, density=density)


def matrix_of(start, feature, n_features):
    """The matrix, (features, rows), of compressed rows."""
    found = np.zeros((n_features, start.size - 1))
    for i in range(start.size - 1):
        found[feature[start[i] : start[i + 1]], i] += 1.0
    return found


@given(shape=shapes, seed=seeds)
@settings(max_examples=60, deadline=None)
def test_pairs_of_compressed_features_are_those_of_the_matrix(shape, seed):
    """Of a pair, the entry in the later feature's row."""
    dense, listed = forms_of(shape, seed)
    found = np.zeros((listed.groups[-1], listed.groups[-1]))
    pair_sums(listed.start, listed.feature, listed.weights, found)
    x = dense.dense.astype(float)
    assert found == pytest.approx(np.tril((x * dense.weights) @ x.T))


@given(shape=shapes, seed=seeds, data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_part_of_compressed_rows_is_the_part_of_the_matrix(shape, seed, data):
    dense, listed = forms_of(shape, seed)
    n_features, n_rows = dense.dense.shape
    rows = np.array(data.draw(st.lists(st.integers(0, n_rows - 1), max_size=6)), np.int32)
    every = st.permutations(range(n_features))
    features = np.array(data.draw(every)[: data.draw(st.integers(0, n_features))], np.int64)
    new = np.full(n_features, -1, np.int32)
    new[features] = np.arange(features.size)
    start, feature = select(listed.start, listed.feature, rows, new)
    found = matrix_of(start, feature, features.size)
    assert np.array_equal(found, dense.dense[features][:, rows])


@given(shape=shapes, seed=seeds, data=st.data())
@settings(max_examples=60, deadline=None)
def test_gathered_features_are_the_part_of_the_matrix(shape, seed, data):
    matrix = forms_of(shape, seed)[0].dense.astype(np.uint8)
    n_features, n_rows = matrix.shape
    rows = np.array(data.draw(st.lists(st.integers(0, n_rows - 1), max_size=6)), np.int32)
    features = np.array(data.draw(st.permutations(range(n_features)))[:6], np.int64)
    found = np.full((features.size, rows.size), np.nan, np.float32)
    gather(matrix, features, rows, found)
    assert np.array_equal(found, matrix[features][:, rows])


@given(seed=seeds, n=st.integers(1, 40), least=st.sampled_from([0.0, 1e-3, 0.3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_rows_that_keep_enough_of_themselves_are_kept(seed, n, least):
    rng = np.random.default_rng(seed)
    own = rng.gamma(1.0, 1.0, 2 * n)
    rows = rng.permutation(2 * n)[:n].astype(np.int32)
    weights = own[rows] * rng.random(n)
    membership = np.round(rng.random(n), 1)  # some are 0 and 1
    kept, part, mass = kept_rows(rows, weights, membership, own, least)
    shares = weights * membership
    stays = shares > least * own[rows]
    assert np.array_equal(kept, rows[stays])
    assert kept.dtype == np.int32
    assert part == pytest.approx(shares[stays], rel=1e-15)
    assert mass == pytest.approx(shares.sum())


def test_a_share_of_exactly_the_least_is_too_little():
    rows, own = np.arange(3, dtype=np.int32), np.array([1.0, 2.0, 4.0])
    kept, part, mass = kept_rows(rows, own, np.array([0.5, 0.25, 0.75]), own, 0.5)
    assert kept.tolist() == [2]
    assert part.tolist() == [3.0]
    assert mass == 4.0


def test_rows_without_weight_are_never_kept():
    rows, own = np.arange(2, dtype=np.int32), np.ones(2)
    kept, _, mass = kept_rows(rows, np.array([0.0, 1e-300]), np.ones(2), own, 0.0)
    assert kept.tolist() == [1]
    assert mass == 1e-300


def test_a_slice_of_numbers_alone_has_no_indicators():
    table = training_table(mixture("nn", 30), np.ones(30), schema_of("nn"))
    rows, weights = np.arange(5, 25, dtype=np.int32), np.linspace(0.1, 1.0, 20)
    for chosen in ([0], [1, 0]):
        data = table.take(rows, weights, np.array(chosen, np.int32))
        assert data.dense.shape[0] == data.feature.size == data.single.size == 0
        assert data.groups.tolist() == data.start.tolist() == [0]
        assert np.array_equal(data.numbers, table.numbers[chosen][:, rows].astype(np.float32))


def test_numbers_have_squares_in_single_precision():
    table = training_table(mixture("n", 6), np.ones(6), schema_of("n"))
    numbers = np.array([[1e150, -1e150, np.inf, np.nan, -2.5, 1e11]])
    table = replace(table, numbers=numbers)
    (found,) = table.take(np.arange(6, dtype=np.int32), np.ones(6), np.zeros(1, np.int32)).numbers
    expected = np.array([FARTHEST, -FARTHEST, FARTHEST, np.nan, -2.5, 1e11], np.float32)
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.isfinite(1e9 * found[:3] ** 2).all()
