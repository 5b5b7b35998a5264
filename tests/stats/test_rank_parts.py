"""Pairs with numbers: Kendall and Kruskal–Wallis decide, all other pairs keep their answer."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import kendalltau, kruskal

from softlearn.stats.independence import rank_parts

NUMERIC = np.array([False, True, False, True])


def ranks_of(x):
    """Equal numbers share a rank."""
    return np.unique(x, return_inverse=True)[1]


def example(seed, decimals):
    """A flag, a number that follows it, a level, a number that follows the first; and counts."""
    rng = np.random.default_rng(seed)
    flag, level = rng.integers(0, 2, 60), rng.integers(0, 4, 60)
    number = np.round(rng.normal(size=60) + 0.6 * flag, decimals)
    other = np.round(0.3 * number + rng.normal(size=60), decimals)
    codes = np.stack([flag, ranks_of(number), level, ranks_of(other)])
    return codes, rng.integers(1, 4, 60)


def by_scipy(codes, counts, significance):
    """Which pairs with a number are dependent, (columns, columns)."""
    r = np.repeat(codes, counts, axis=1)

    def by_group(column, group):
        parts = (r[column, r[group] == g] for g in np.unique(r[group]))
        return kruskal(*parts).pvalue < significance

    expected = np.zeros((4, 4), bool)
    expected[0, 1], expected[1, 2] = by_group(1, 0), by_group(1, 2)
    expected[0, 3], expected[2, 3] = by_group(3, 0), by_group(3, 2)
    expected[1, 3] = kendalltau(r[1], r[3], method="asymptotic").pvalue < significance
    return expected | expected.T


def same_partition(one, other):
    return np.array_equal(one[:, None] == one, other[:, None] == other)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_each_pair_is_judged_by_its_own_test(seed, decimals):
    codes, counts = example(seed, decimals)
    expected = by_scipy(codes, counts, 0.05)
    for i in range(4):
        for j in range(4):
            pair = [i, j]
            if i == j or not NUMERIC[pair].any():
                continue
            own = np.ascontiguousarray(codes[pair])
            labels = rank_parts(np.arange(2), own, NUMERIC[pair], counts.astype(float), 0.05)
            assert (labels[0] == labels[1]) == expected[i, j], pair


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("linked", [False, True])
def test_columns_fall_into_the_parts_of_their_pairs(seed, linked):
    """The pair without a number keeps the answer that it has."""
    codes, counts = example(seed, 1)
    parts = np.array([0, 1, 0, 3]) if linked else np.arange(4)
    for significance in (0.5, 0.05, 1e-4):
        links = by_scipy(codes, counts, significance)
        links[0, 2] = links[2, 0] = linked
        found = rank_parts(parts, codes, NUMERIC, counts.astype(float), significance)
        expected = connected_components(csr_array(links), directed=False)[1]
        assert same_partition(found, expected)


def test_two_columns_without_a_number_are_not_tested():
    codes = np.tile(np.arange(60) % 3, (2, 1))
    found = rank_parts(np.arange(2), codes, np.zeros(2, bool), np.ones(60), 0.5)
    assert found.tolist() == [0, 1]


def test_the_answers_given_are_left_as_they_were():
    parts = np.arange(2)
    codes = np.tile(np.arange(50), (2, 1))
    found = rank_parts(parts, codes, np.array([True, True]), np.ones(50), 0.01)
    assert found[0] == found[1]
    assert parts.tolist() == [0, 1]


def test_columns_that_are_never_seen_together_are_independent():
    codes = np.stack([np.arange(40), np.arange(40), np.arange(40) % 2])
    codes[0, 20:], codes[1, :20], codes[2, :20] = -1, -1, -1
    numeric = np.array([True, True, False])
    found = rank_parts(np.arange(3), codes, numeric, np.ones(40), 0.5)
    assert found[0] not in found[1:]


@pytest.mark.parametrize("numeric", [(True, True), (True, False)])
def test_a_column_without_any_value_is_independent(numeric):
    codes = np.stack([np.arange(30), np.full(30, -1)])
    for own in (codes, codes[::-1].copy()):
        found = rank_parts(np.arange(2), own, np.array(numeric), np.ones(30), 0.5)
        assert found[0] != found[1]
