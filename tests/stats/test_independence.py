"""Which columns hang together: pairs against scipy, one at a time, and what follows for many.

A pair is judged by handing over a table of two columns.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2_contingency

from softlearn.stats.independence import PairTables, binary_parts, table_parts

seeds = st.integers(0, 100_000)
every_test = pytest.mark.parametrize("test", ["chi2", "g"])


def same_partition(one, other):
    """Whether two labellings put the same columns together."""
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def linked_binary(both, mass, significance, test="chi2"):
    """Which pairs are dependent, each tested by itself, (columns, columns)."""
    n = both.shape[0]
    found = np.zeros((n, n), bool)
    for i, j in zip(*np.tril_indices(n, -1), strict=True):
        pair = np.ascontiguousarray(both[np.ix_([j, i], [j, i])])
        one, other = binary_parts(pair, mass, significance, test)
        found[i, j] = found[j, i] = one == other
    return found


def level_parts(tables, groups, significance, test):
    """The parts of columns that are all levels."""
    no_number = np.zeros(groups.size - 1, bool)
    return table_parts(PairTables(tables, groups, no_number, 1.0), significance, test)


def linked_tables(tables, groups, significance, test="chi2"):
    n = groups.size - 1
    found = np.zeros((n, n), bool)
    for i, j in zip(*np.tril_indices(n, -1), strict=True):
        own = [np.arange(groups[k], groups[k + 1]) for k in (j, i)]
        levels = np.concatenate(own)
        begins = np.array([0, own[0].size, levels.size])
        pair = np.ascontiguousarray(tables[np.ix_(levels, levels)])
        one, other = level_parts(pair, begins, significance, test)
        found[i, j] = found[j, i] = one == other
    return found


def parts_of(links):
    """The parts that pairs hang together in, from scipy."""
    return connected_components(csr_array(links), directed=False)[1]


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


@every_test
@given(seed=seeds, n_rows=st.integers(5, 80), significance=st.sampled_from([0.5, 0.05, 0.001]))
@settings(max_examples=30, deadline=None)
def test_binary_pairs_are_judged_as_scipy_does(test, seed, n_rows, significance):
    x = codes(seed, 4, n_rows)
    counts = np.random.default_rng(seed).integers(0, 4, n_rows)
    assume(counts.any())
    both = pair_weights(x, counts.astype(float))
    found = linked_binary(both, float(counts.sum()), significance, test)
    repeated = np.repeat(x, counts, axis=1)
    for i, j in np.argwhere(~np.eye(4, dtype=bool)):
        table = table_of(repeated[i], repeated[j], np.ones(repeated.shape[1]), 2)
        assert found[i, j] == by_scipy(table, significance, test), (i, j)
    parts = binary_parts(both, float(counts.sum()), significance, test)
    assert same_partition(parts, parts_of(found))


@every_test
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
    tables, groups = all_tables(x, counts.astype(float), n_levels)
    found = linked_tables(tables, groups, significance, test)
    repeated = np.repeat(x, counts, axis=1)
    for i, j in np.argwhere(~np.eye(4, dtype=bool)):
        table = table_of(repeated[i], repeated[j], np.ones(repeated.shape[1]), n_levels)
        assert found[i, j] == by_scipy(table, significance, test), (i, j)
    parts = level_parts(tables, groups, significance, test)
    assert same_partition(parts, parts_of(found))


@every_test
@given(seed=seeds, n_rows=st.integers(2, 100), significance=st.sampled_from([0.5, 0.05, 1e-4]))
@settings(max_examples=50, deadline=None)
def test_both_forms_agree_on_binary_columns(test, seed, n_rows, significance):
    x = codes(seed, 6, n_rows)
    weights = np.random.default_rng(seed).gamma(1.0, 1.0, n_rows)
    one = linked_binary(pair_weights(x, weights), weights.sum(), significance, test)
    other = linked_tables(*all_tables(x, weights, 2), significance=significance, test=test)
    assert np.array_equal(one, other)


@every_test
@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_many_columns_fall_into_the_parts_of_their_pairs(test, seed, missing):
    x = codes(seed, 12, 80, 3, missing)
    weights = np.random.default_rng(seed).gamma(1.0, 1.0, 80)
    tables, groups = all_tables(x, weights, 3)
    links = linked_tables(tables, groups, 0.01, test)
    assert same_partition(level_parts(tables, groups, 0.01, test), parts_of(links))
    both = pair_weights(x == 1, weights)
    links = linked_binary(both, weights.sum(), 0.01, test)
    assert same_partition(binary_parts(both, weights.sum(), 0.01, test), parts_of(links))


@every_test
def test_the_weight_of_a_pair_is_read_once(test):
    """From the later column's row; what stands above the diagonal does not matter."""
    x, weights = codes(5, 8, 200), np.random.default_rng(0).gamma(1.0, 1.0, 200)
    both, (tables, groups) = pair_weights(x, weights), all_tables(x, weights, 2)
    expected = binary_parts(both, weights.sum(), 0.01, test)
    above = np.triu_indices(8, 1)
    both[above] = np.nan
    assert np.array_equal(binary_parts(both, weights.sum(), 0.01, test), expected)
    tables[np.triu(np.ones(tables.shape, bool), 1) & (tables > 0.0)] = np.nan
    assert same_partition(level_parts(tables, groups, 0.01, test), expected)


@every_test
@pytest.mark.parametrize("constant", [0, 1])
def test_a_constant_column_depends_on_nothing(test, constant):
    x = codes(1, 3, 500)
    x[1] = constant
    binary = linked_binary(pair_weights(x, np.ones(500)), 500.0, 0.5, test)
    tables = linked_tables(*all_tables(x, np.ones(500), 2), significance=0.5, test=test)
    assert not binary[1].any()
    assert not tables[1].any()


@every_test
@pytest.mark.parametrize("unit", [1.0, 2.0**10, 1e9])
def test_rounding_of_the_weights_is_no_dependence(test, unit):
    """A column of ones has the weight of all rows, but for what single precision loses."""
    rng = np.random.default_rng(0)
    for n_rows in (300, 1000):
        x = np.concatenate([np.ones((2, n_rows)), rng.random((6, n_rows)) < 0.5])
        weights = unit * rng.gamma(1.0, 1.0, n_rows)
        both = pair_weights(x, weights)
        if weights.sum() < 2.0**20:  # what is heavier is added up in double precision
            both = ((x * weights).astype(np.float32) @ x.T.astype(np.float32)).astype(float)
        found = linked_binary(both, float(weights.sum()), 0.01, test)
        assert not found[:2].any()


@every_test
def test_columns_never_observed_together_are_independent(test):
    x = codes(1, 2, 400)
    x[0, :200], x[1, 200:] = -1, -1
    found = linked_tables(*all_tables(x, np.ones(400), 2), significance=0.5, test=test)
    assert not found.any()


@every_test
def test_two_equal_columns_need_more_than_eight_rows_of_weight(test):
    x = np.array([[0, 1], [0, 1]])
    for mass, expected in ((8.0, False), (8.01, True)):
        weights = np.full(2, mass / 2)
        binary = linked_binary(pair_weights(x, weights), mass, 0.2, test)
        tables = linked_tables(*all_tables(x, weights, 2), significance=0.2, test=test)
        assert binary[0, 1] == expected
        assert tables[0, 1] == expected


@every_test
def test_a_table_of_three_by_three_needs_more_than_eighteen(test):
    x = np.array([[0, 1, 2], [0, 1, 2]])
    for mass, expected in ((18.0, False), (18.01, True)):
        tables, groups = all_tables(x, np.full(3, mass / 3), 3)
        assert linked_tables(tables, groups, 0.01, test)[0, 1] == expected


def test_levels_without_rows_do_not_count():
    """Two levels in use out of five make a table of two by two: Yates, and eight rows."""
    x = np.array([[0, 4] * 5, [1, 3] * 5])
    assert linked_tables(*all_tables(x, np.ones(10), 5), significance=0.05)[0, 1]


@every_test
@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_columns_may_have_different_numbers_of_levels(test, seed):
    """Each table has its own degrees of freedom."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, 120) for n in (2, 5, 3, 1)]
    columns.append(np.where(rng.random(120) < 0.25, columns[1], rng.integers(0, 5, 120)))
    hot = np.concatenate([np.eye(c.max() + 1)[c].T for c in columns])
    groups = np.concatenate([[0], np.cumsum([c.max() + 1 for c in columns])])
    for significance in (0.9, 0.5, 0.2, 0.05, 0.001):
        found = linked_tables(hot @ hot.T, groups, significance, test)
        for i, j in np.argwhere(~np.eye(5, dtype=bool)):
            table = table_of(columns[i], columns[j], np.ones(120), 5)
            assert found[i, j] == by_scipy(table, significance, test), (i, j)


def test_rare_independent_columns_are_not_called_dependent():
    """Ties ranked by the order of rows once made them so, in another library."""
    x = np.zeros((2, 2000), int)
    x[0, :10], x[1, -10:] = 1, 1
    found = linked_binary(pair_weights(x, np.ones(2000)), 2000.0, 0.01)
    assert not found[0, 1]


@every_test
def test_about_as_many_false_alarms_as_promised(test):
    """Independent columns: the share of dependent pairs is at most the level, give or take."""
    x = np.random.default_rng(4).integers(0, 2, (80, 1000))
    found = linked_binary(pair_weights(x, np.ones(1000)), 1000.0, 0.05, test)
    pairs = found[np.triu_indices(80, 1)]
    # Pairs are nearly uncorrelated: six deviations of a binomial, risk 1e-9.
    assert pairs.mean() < 0.05 + 6 * np.sqrt(0.05 * 0.95 / pairs.size)
    assert pairs.mean() > 0.02


def weights_with(links):
    """Pairs that are equal columns where linked, and exactly independent elsewhere."""
    both = np.where(links, 500.0, 250.0)
    np.fill_diagonal(both, 500.0)
    return both, 1000.0


@every_test
@given(links=arrays(bool, st.integers(1, 25).map(lambda n: (n, n)), elements=st.booleans()))
@settings(deadline=None)
def test_parts_are_the_components_of_scipy(test, links):
    links = np.triu(links, 1) & (np.arange(links.shape[0]) % 3 > 0)
    links |= links.T
    found = binary_parts(*weights_with(links), 0.01, test)
    assert same_partition(found, parts_of(links))
    assert set(found.tolist()) <= set(range(links.shape[0]))


def test_a_long_chain_is_one_part():
    links = np.eye(2000, k=1, dtype=bool)
    order = np.random.default_rng(0).permutation(2000)
    for chain in (links, links[order][:, order]):
        assert np.unique(binary_parts(*weights_with(chain | chain.T), 0.01)).size == 1


def test_columns_without_any_link_are_alone():
    found = binary_parts(*weights_with(np.eye(5, dtype=bool)), 0.01)
    assert sorted(found.tolist()) == [0, 1, 2, 3, 4]
