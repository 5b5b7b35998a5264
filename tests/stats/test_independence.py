"""The tests of all pairs at once against scipy, one pair at a time."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2_contingency

from softlearn.stats.independence import components, dependent, dependent_binary

seeds = st.integers(0, 100_000)


def same_partition(one, other):
    """Whether two labellings put the same columns together."""
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def codes(seed, n_columns, n_rows, n_levels=2, missing=0.0):
    """Columns that follow each other more or less closely; -1 is missing."""
    rng = np.random.default_rng(seed)
    x = np.empty((n_columns, n_rows), int)
    x[0] = rng.integers(0, n_levels, n_rows)
    for i in range(1, n_columns):
        keep = rng.random(n_rows) < rng.choice([0.0, 0.1, 0.3, 0.9])
        x[i] = np.where(keep, x[i - 1], rng.integers(0, n_levels, n_rows))
    return np.where(rng.random(x.shape) < missing, -1, x)


def pair_weights(x, weights):
    return (x * weights) @ x.T


def all_tables(x, weights, n_levels):
    """Weights of all pairs of levels, and where columns begin."""
    hot = (x[:, None, :] == np.arange(n_levels)[:, None]).reshape(-1, x.shape[1]).astype(float)
    return (hot * weights) @ hot.T, np.arange(x.shape[0] + 1) * n_levels


def table_of(x, y, weights, n_levels):
    """The table of one pair, over the rows that have both, without empty rows and columns."""
    table = np.zeros((n_levels, n_levels))
    seen = (x >= 0) & (y >= 0)
    np.add.at(table, (x[seen], y[seen]), weights[seen])
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]


def by_scipy(table, significance, test):
    """The same decision, from scipy: Yates only for two by two and the chi-square test."""
    if min(table.shape) < 2 or table.sum() <= 2 * table.size:
        return False
    if test == "g":
        found = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    else:
        found = chi2_contingency(table, correction=table.shape == (2, 2))
    assume(abs(found.pvalue - significance) > 1e-6)
    return found.pvalue < significance


@pytest.mark.parametrize("test", ["chi2", "g"])
@given(seed=seeds, n_rows=st.integers(5, 80), significance=st.sampled_from([0.5, 0.05, 0.001]))
@settings(max_examples=30, deadline=None)
def test_binary_pairs_are_judged_as_scipy_does(test, seed, n_rows, significance):
    x = codes(seed, 4, n_rows)
    counts = np.random.default_rng(seed).integers(0, 4, n_rows)
    assume(counts.any())
    found = dependent_binary(
        pair_weights(x, counts.astype(float)), float(counts.sum()), significance, test
    )
    repeated = np.repeat(x, counts, axis=1)
    for i, j in np.argwhere(~np.eye(4, dtype=bool)):
        table = table_of(repeated[i], repeated[j], np.ones(repeated.shape[1]), 2)
        assert found[i, j] == by_scipy(table, significance, test), (i, j)


@pytest.mark.parametrize("test", ["chi2", "g"])
@given(
    seed=seeds,
    n_rows=st.integers(5, 150),
    n_levels=st.integers(2, 4),
    missing=st.sampled_from([0.0, 0.2, 0.9]),
    significance=st.sampled_from([0.5, 0.05, 0.001]),
)
@settings(max_examples=40, deadline=None)
def test_tables_are_judged_as_scipy_does(test, seed, n_rows, n_levels, missing, significance):
    x = codes(seed, 4, n_rows, n_levels, missing)
    counts = np.random.default_rng(seed).integers(0, 4, n_rows)
    found = dependent(
        *all_tables(x, counts.astype(float), n_levels), significance=significance, test=test
    )
    repeated = np.repeat(x, counts, axis=1)
    for i, j in np.argwhere(~np.eye(4, dtype=bool)):
        table = table_of(repeated[i], repeated[j], np.ones(repeated.shape[1]), n_levels)
        assert found[i, j] == by_scipy(table, significance, test), (i, j)


@pytest.mark.parametrize("test", ["chi2", "g"])
@given(seed=seeds, n_rows=st.integers(2, 100), significance=st.sampled_from([0.5, 0.05, 1e-4]))
@settings(max_examples=50, deadline=None)
def test_both_forms_agree_on_binary_columns(test, seed, n_rows, significance):
    x = codes(seed, 6, n_rows)
    weights = np.random.default_rng(seed).gamma(1.0, 1.0, n_rows)
    one = dependent_binary(pair_weights(x, weights), weights.sum(), significance, test)
    other = dependent(*all_tables(x, weights, 2), significance=significance, test=test)
    off = ~np.eye(6, dtype=bool)
    assert np.array_equal(one[off], other[off])


@pytest.mark.parametrize("test", ["chi2", "g"])
@pytest.mark.parametrize("constant", [0, 1])
def test_a_constant_column_depends_on_nothing(test, constant):
    x = codes(1, 3, 500)
    x[1] = constant
    binary = dependent_binary(pair_weights(x, np.ones(500)), 500.0, 0.5, test)
    tables = dependent(*all_tables(x, np.ones(500), 2), significance=0.5, test=test)
    assert not binary[1].any()
    assert not tables[1].any()


@pytest.mark.parametrize("test", ["chi2", "g"])
def test_columns_never_observed_together_are_independent(test):
    x = codes(1, 2, 400)
    x[0, :200], x[1, 200:] = -1, -1
    found = dependent(*all_tables(x, np.ones(400), 2), significance=0.5, test=test)
    assert not found[0, 1]
    assert not found[1, 0]


@pytest.mark.parametrize("test", ["chi2", "g"])
def test_two_equal_columns_need_more_than_eight_rows_of_weight(test):
    x = np.array([[0, 1], [0, 1]])
    for mass, expected in ((8.0, False), (8.01, True)):
        weights = np.full(2, mass / 2)
        binary = dependent_binary(pair_weights(x, weights), mass, 0.2, test)
        tables = dependent(*all_tables(x, weights, 2), significance=0.2, test=test)
        assert binary[0, 1] == expected
        assert tables[0, 1] == expected


@pytest.mark.parametrize("test", ["chi2", "g"])
def test_a_table_of_three_by_three_needs_more_than_eighteen(test):
    x = np.array([[0, 1, 2], [0, 1, 2]])
    for mass, expected in ((18.0, False), (18.01, True)):
        tables = dependent(*all_tables(x, np.full(3, mass / 3), 3), significance=0.01, test=test)
        assert tables[0, 1] == expected


def test_levels_without_rows_do_not_count():
    """Two levels in use out of five make a table of two by two: Yates, and eight rows."""
    x = np.array([[0, 4] * 5, [1, 3] * 5])
    assert dependent(*all_tables(x, np.ones(10), 5), significance=0.05)[0, 1]


def test_rare_independent_columns_are_not_called_dependent():
    """Ties ranked by the order of rows once made them so, in another library."""
    x = np.zeros((2, 2000), int)
    x[0, :10], x[1, -10:] = 1, 1
    found = dependent_binary(pair_weights(x, np.ones(2000)), 2000.0, 0.01)
    assert not found[0, 1]


@pytest.mark.parametrize("test", ["chi2", "g"])
def test_about_as_many_false_alarms_as_promised(test):
    """Independent columns: the share of dependent pairs is at most the level, give or take."""
    x = np.random.default_rng(4).integers(0, 2, (80, 1000))
    found = dependent_binary(pair_weights(x, np.ones(1000)), 1000.0, 0.05, test)
    pairs = found[np.triu_indices(80, 1)]
    # Pairs are nearly uncorrelated: six deviations of a binomial, risk 1e-9.
    assert pairs.mean() < 0.05 + 6 * np.sqrt(0.05 * 0.95 / pairs.size)
    assert pairs.mean() > 0.02


@given(arrays(bool, st.integers(1, 25).map(lambda n: (n, n)), elements=st.booleans()))
def test_components_are_those_of_scipy(links):
    links = np.triu(links, 1) & (np.arange(links.shape[0]) % 3 > 0)
    links |= links.T
    found = components(links)
    n, expected = connected_components(csr_array(links), directed=False)
    assert same_partition(found, expected)
    assert sorted(set(found.tolist())) == list(range(n))


def test_a_long_chain_is_one_component():
    links = np.eye(2000, k=1, dtype=bool)
    assert components(links | links.T).max() == 0


def test_a_column_linked_to_itself_alone_is_alone():
    assert sorted(components(np.eye(5, dtype=bool)).tolist()) == [0, 1, 2, 3, 4]
