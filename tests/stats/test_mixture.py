"""Weighted EM against a plain implementation, column by column."""

import numpy as np
import pytest

from softlearn.stats.kmeans import kmeans
from softlearn.stats.mixture import em_memberships, softened
from stats.plain_clustering import em_step, rows_of

TABLES = [("bbbbbb", 0.0), ("b3n9nb", 0.0), ("b3n9nb", 0.3), ("nnn", 0.2), ("9999", 0.0)]
uniforms = np.array([0.13, 0.77, 0.42])


def start_of(rows):
    """Hard clusters to begin with, and the same as softened memberships."""
    _, sums = kmeans(rows, uniforms, 2)
    return sums, 0.9 * sums.membership + 0.1 / uniforms.size


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("n_steps", [1, 3])
def test_steps_equal_the_plain_ones(kinds, gaps, smoothing, n_steps):
    table, rows = rows_of(kinds, 200, gaps=gaps)
    sums, expected = start_of(rows)
    for _ in range(n_steps):
        expected, _, _ = em_step(table, expected, smoothing)
    found = em_memberships(rows, softened(sums, 0.9), smoothing=smoothing, max_iter=n_steps)
    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_decreases(kinds, gaps, seed):
    """With pseudo-counts it is the likelihood times their prior that EM climbs."""
    table, rows = rows_of(kinds, 200, gaps=gaps, seed=seed)
    climbed = []
    for max_iter in range(1, 15):
        sums, _ = start_of(rows)
        found = em_memberships(rows, softened(sums, 0.9), smoothing=0.1, max_iter=max_iter)
        _, likelihood, prior = em_step(table, found, 0.1)
        climbed.append(likelihood + prior)
    assert (np.diff(climbed) >= -1e-3).all()
    assert climbed[-1] > climbed[0] + 1e-3


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
def test_it_ends_where_the_plain_one_ends(kinds, gaps):
    table, rows = rows_of(kinds, 200, gaps=gaps)
    sums, expected = start_of(rows)
    for _ in range(200):
        expected, _, _ = em_step(table, expected, 0.1)
    found = em_memberships(rows, softened(sums, 0.9), smoothing=0.1, max_iter=200)
    _, at_end, _ = em_step(table, found, 0.1)
    _, best, _ = em_step(table, expected, 0.1)
    assert at_end / table.weights.sum() == pytest.approx(best / table.weights.sum(), abs=0.02)


def test_memberships_add_to_one():
    _, rows = rows_of("b3n", 100, gaps=0.4)
    sums, _ = start_of(rows)
    found = em_memberships(rows, softened(sums, 0.9), smoothing=0.1, max_iter=20)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert (found >= 0.0).all()


def test_softening_moves_a_tenth_of_each_row():
    _, rows = rows_of("b3n", 100)
    sums, expected = start_of(rows)
    soft = softened(sums, 0.9)
    assert soft.mass == pytest.approx(rows.weights @ expected)
