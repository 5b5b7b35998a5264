"""Weighted k-means over levels and numbers, and the memberships that the paper makes of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of
from softlearn.learn.training import training_table
from softlearn.stats.kmeans import distances, kmeans, soft_memberships
from stats.plain_clustering import rows_of, squared_distances, take_all

TABLES = [("bbbbbb", 0.0), ("b3n9nb", 0.0), ("b3n9nb", 0.3), ("nnn", 0.2), ("9999", 0.0)]
uniforms = np.array([0.13, 0.77, 0.42])


def test_memberships_are_the_softmax_of_the_paper():
    d, beta = (1.0, 2.0, 5.0), 3.0
    parts = [math.exp(beta * (1.0 - one / sum(d))) for one in d]
    expected = [part / sum(parts) for part in parts]
    assert soft_memberships(np.array([d]), beta)[0] == pytest.approx(expected, rel=1e-12)


@given(
    st.lists(st.lists(st.floats(0.0, 1e6), min_size=3, max_size=3), min_size=1),
    st.sampled_from([0.0, 1.0, 40.0, 1e9]),
)
def test_memberships_add_to_one_and_follow_the_distances(d, beta):
    d = np.array(d)
    found = soft_memberships(d, beta)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    nearest = np.take_along_axis(found, d.argmin(axis=1)[:, None], axis=1)
    assert (nearest >= found).all()


def test_without_beta_all_clusters_share_alike():
    assert soft_memberships(np.array([[0.0, 3.0]]), 0.0).tolist() == [[0.5, 0.5]]


def test_a_row_on_all_centroids_at_once_is_shared_alike():
    assert soft_memberships(np.zeros((1, 4)), 40.0).tolist() == [[0.25] * 4]


def test_memberships_do_not_depend_on_the_unit_of_distance():
    d = np.array([[1.0, 3.0], [2.0, 0.5]])
    assert soft_memberships(1000 * d, 7.0) == pytest.approx(soft_memberships(d, 7.0))


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize("max_iter", [1, 2, 50])
def test_distances_are_those_to_the_weighted_means(kinds, gaps, max_iter):
    table, rows = rows_of(kinds, 150, gaps=gaps)
    centroids, sums = kmeans(rows, uniforms, max_iter)
    assert (sums.mass > 0).all()
    expected = squared_distances(table, sums.membership)
    assert distances(rows, centroids) ** 2 == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize("seed", range(4))
def test_the_error_never_increases(kinds, gaps, seed):
    table, rows = rows_of(kinds, 150, gaps=gaps, seed=seed)
    start = np.random.default_rng(seed).random(3)
    errors = []
    for max_iter in range(1, 12):
        _, sums = kmeans(rows, start, max_iter)
        if (sums.mass > 0).all():
            d = squared_distances(table, sums.membership)
            errors.append(table.weights @ (d * sums.membership).sum(axis=1))
    assert len(errors) > 5
    assert (np.diff(errors) <= 1e-4).all()


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
def test_at_the_end_each_row_is_with_its_nearest_mean(kinds, gaps):
    table, rows = rows_of(kinds, 150, gaps=gaps)
    _, sums = kmeans(rows, uniforms, 200)
    d = squared_distances(table, sums.membership)
    own = (d * sums.membership).sum(axis=1)
    assert table.weights @ own == pytest.approx(table.weights @ d.min(axis=1), rel=0.01)
    assert set(np.unique(sums.membership)) <= {0.0, 1.0}


def test_clear_groups_are_found():
    values = np.repeat([[0.0, 1.0], [0.0, 1.0], [-5.0, 5.0]], 30, axis=1)
    values[2] += np.random.default_rng(0).normal(size=60)
    table = training_table(values, np.ones(60), schema_of("bbn"))
    for u in np.random.default_rng(1).random((10, 2)):
        _, sums = kmeans(take_all(table), u, 50)
        assert sorted(sums.mass.tolist()) == [30.0, 30.0]


@pytest.mark.parametrize("kinds", ["bbb", "3n", "n"])
def test_rows_that_are_alike_have_no_clusters(kinds):
    values = np.repeat(mixture(kinds, 1), 9, axis=1)
    table = training_table(values, np.ones(9), schema_of(kinds))
    assert kmeans(take_all(table), uniforms, 10) is None


def test_there_are_no_more_clusters_than_different_rows():
    values = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    table = training_table(values, np.ones(3), schema_of("bb"))
    _, sums = kmeans(take_all(table), np.linspace(0.0, 0.9, 8), 10)
    assert sums.mass.tolist() == [1.0, 1.0, 1.0]


def test_a_weight_counts_like_so_many_rows():
    """A heavy row pulls the centroid: the mean of 0 (three times) and 4 is 1."""
    table = training_table(
        np.array([[0.0, 4.0, 100.0, 101.0]]), np.array([3.0, 1, 1, 1]), schema_of("n")
    )
    found, sums = kmeans(take_all(table), np.array([0.1, 0.9]), 50)
    assert sorted(sums.mass.tolist()) == [2.0, 4.0]
    lower = found.mean.ravel().min() * table.spread[0] + table.centre[0]
    assert lower == pytest.approx(1.0)
