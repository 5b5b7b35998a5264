"""Pairs with numbers: Kendall and Kruskal–Wallis decide, all other pairs keep their answer."""

import numpy as np
import pytest
from scipy.stats import kendalltau, kruskal

from softlearn.stats.ranks import linked_by_ranks


def ranks_of(x):
    """Equal numbers share a rank."""
    return np.unique(x, return_inverse=True)[1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_each_pair_is_judged_by_its_own_test(seed, decimals):
    rng = np.random.default_rng(seed)
    flag, level = rng.integers(0, 2, 60), rng.integers(0, 4, 60)
    number = np.round(rng.normal(size=60) + 0.6 * flag, decimals)
    other = np.round(0.3 * number + rng.normal(size=60), decimals)
    codes = np.stack([flag, ranks_of(number), level, ranks_of(other)])
    numeric = np.array([False, True, False, True])
    linked = np.zeros((4, 4), bool)
    linked[0, 2] = linked[2, 0] = True
    counts = rng.integers(1, 4, 60)
    found = linked_by_ranks(linked, codes, numeric, counts.astype(float), 0.05)
    r = np.repeat(codes, counts, axis=1)

    def by_group(column, group):
        return kruskal(*(r[column, r[group] == g] for g in np.unique(r[group]))).pvalue < 0.05

    expected = linked.copy()
    expected[0, 1], expected[1, 2] = by_group(1, 0), by_group(1, 2)
    expected[0, 3], expected[2, 3] = by_group(3, 0), by_group(3, 2)
    expected[1, 3] = kendalltau(r[1], r[3], method="asymptotic").pvalue < 0.05
    upper = np.triu_indices(4, 1)
    assert np.array_equal(found[upper], expected[upper])
    assert np.array_equal(found, found.T)


def test_the_answers_given_are_left_as_they_were():
    linked = np.zeros((2, 2), bool)
    codes = np.tile(np.arange(50), (2, 1))
    found = linked_by_ranks(linked, codes, np.array([True, True]), np.ones(50), 0.01)
    assert found[0, 1]
    assert not linked.any()


def test_columns_that_are_never_seen_together_are_independent():
    codes = np.stack([np.arange(40), np.arange(40), np.arange(40) % 2])
    codes[0, 20:], codes[1, :20], codes[2, :20] = -1, -1, -1
    numeric = np.array([True, True, False])
    found = linked_by_ranks(np.zeros((3, 3), bool), codes, numeric, np.ones(40), 0.5)
    assert not found[0].any()


@pytest.mark.parametrize("numeric", [(True, True), (True, False)])
def test_a_column_without_any_value_is_independent(numeric):
    codes = np.stack([np.arange(30), np.full(30, -1)])
    found = linked_by_ranks(np.zeros((2, 2), bool), codes, np.array(numeric), np.ones(30), 0.5)
    assert not found.any()
    swapped = linked_by_ranks(
        np.zeros((2, 2), bool), codes[::-1].copy(), np.array(numeric), np.ones(30), 0.5
    )
    assert not swapped.any()
