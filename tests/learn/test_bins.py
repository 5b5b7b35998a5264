"""Bins for the independence tests: about equal mass, equal numbers together, order kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from softlearn.learn.bins import FINE_BINS, MISSING, MOST_NODE_BINS, bin_table
from softlearn.learn.training import training_table

from learn.plain_bins import joined_codes
from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.table.schema import Column, Schema


def binned(values, schema, weights=None):
    weights = np.ones(values.shape[1]) if weights is None else weights
    table = training_table(values, weights, schema)
    return table, bin_table(table)


def node_codes(table, bins, rows=None, weights=None, *, coarse=False):
    """The levels that a node tests, (rows, columns), -1 where missing."""
    rows = np.arange(table.n_rows, dtype=np.int32) if rows is None else rows
    weights = table.weights[rows] if weights is None else weights
    codes = bins.codes[rows]
    for i in np.flatnonzero(bins.numeric | coarse):
        n_codes, is_number = int(bins.n_levels[i]), bool(bins.numeric[i])
        codes[:, i] = joined_codes(codes[:, i], weights, n_codes, is_number=is_number)
    codes = np.where(codes == MISSING, -1, codes.astype(int))
    columns = np.arange(len(table.schema), dtype=np.int32)
    sums, groups = bins.tables(rows, weights, columns, coarse=coarse)[:2]
    tables = sums[: groups[-1], : groups[-1]]
    assert tables == pytest.approx(plain_tables(codes, weights, groups), rel=1e-5)
    return codes, groups


def plain_tables(codes, weights, groups):
    """The weight of all pairs of levels, added up row by row."""
    tables = np.zeros((groups[-1], groups[-1]))
    for row, weight in zip(codes, weights, strict=True):
        levels = (groups[:-1] + row)[row >= 0]
        assert (levels < groups[1:][row >= 0]).all()
        tables[np.ix_(levels, levels)] += weight
    return tables


@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 400), decimals=st.sampled_from([0, 1, 9]))
@settings(max_examples=60, deadline=None)
def test_bins_keep_the_order_and_equal_numbers_together(seed, n_rows, decimals):
    values = np.round(with_gaps(mixture("nn", n_rows, seed=seed), 0.1, seed=seed), decimals)
    table, bins = binned(values, schema_of("nn"))
    codes, groups = node_codes(table, bins)
    assert (np.diff(groups) <= MOST_NODE_BINS).all()
    for i in range(2):
        x = table.values[i]
        seen = ~np.isnan(x)
        assert (codes[~seen, i] == -1).all()
        order = np.argsort(x[seen], kind="stable")
        x_sorted, bin_sorted = x[seen][order], codes[seen, i][order]
        steps = np.diff(bin_sorted)
        assert (steps >= 0).all()
        assert (steps <= 1).all()
        assert (steps[np.diff(x_sorted) == 0] == 0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_have_about_equal_mass(weighted):
    rng = np.random.default_rng(0)
    weights = rng.gamma(1.0, 1.0, 5000) if weighted else np.ones(5000)
    table, bins = binned(rng.exponential(size=(1, 5000)), schema_of("n"), weights)
    assert bins.n_levels[0] == FINE_BINS
    for codes, n_bins in (
        (bins.codes[:, 0], FINE_BINS),
        (node_codes(table, bins)[0][:, 0], MOST_NODE_BINS),
    ):
        mass = np.bincount(codes, weights=table.weights) / table.weights.sum()
        assert mass.size == n_bins
        assert mass == pytest.approx(1 / n_bins, rel=0.25)


def test_a_node_bins_by_its_own_rows():
    """The upper tenth of a column is cut at its own quantiles, not at those of the table."""
    values = np.linspace(0.0, 1.0, 3000)[None, :]
    table, bins = binned(values, schema_of("n"))
    upper = np.flatnonzero(table.values[0] > 0.8).astype(np.int32)
    codes, _ = node_codes(table, bins, upper)
    mass = np.bincount(codes[:, 0]) / upper.size
    assert mass.size == MOST_NODE_BINS
    assert mass == pytest.approx(1 / MOST_NODE_BINS, rel=0.5)


@pytest.mark.parametrize(("mass", "n_bins"), [(9.0, 2), (20.0, 2), (30.0, 3), (50.0, 4), (9e5, 4)])
def test_the_more_a_node_weighs_the_more_bins_it_makes(mass, n_bins):
    """A table of two such columns has enough weight a cell to be tested, if two bins allow it."""
    table, bins = binned(np.linspace(0.0, 1.0, 300)[None, :], schema_of("n"))
    every = np.arange(300, dtype=np.int32)
    _, groups = node_codes(table, bins, every, np.full(300, mass / 300))
    assert np.diff(groups).tolist() == [n_bins]


def test_a_node_bins_by_its_own_weights():
    values = np.linspace(0.0, 1.0, 3000)[None, :]
    table, bins = binned(values, schema_of("n"))
    every = np.arange(3000, dtype=np.int32)
    weights = np.where(table.values[0] > 0.5, 9.0, 1.0)
    codes, _ = node_codes(table, bins, every, weights)
    mass = np.bincount(codes[:, 0], weights=weights) / weights.sum()
    assert mass == pytest.approx(1 / MOST_NODE_BINS, rel=0.25)


def test_one_value_that_is_most_of_the_mass_has_a_bin_of_its_own():
    values = np.concatenate([np.zeros(900), np.linspace(1.0, 2.0, 100)])[None, :]
    table, bins = binned(np.concatenate([values, np.arange(1000.0)[None]]), schema_of("nn"))
    codes, _ = node_codes(table, bins)
    zero = table.values[0] == 0.0
    assert np.unique(codes[zero, 0]).size == 1
    assert np.unique(codes[~zero, 0]).size >= 1
    assert not set(codes[zero, 0]) & set(codes[~zero, 0])


def test_few_levels_are_kept_as_they_are():
    values = mixture("b39", 300)
    table, bins = binned(values, schema_of("b39"))
    codes, _ = node_codes(table, bins)
    assert np.array_equal(codes.T, table.values)


def test_rare_levels_of_a_large_column_are_tested_as_one():
    levels = tuple(range(1000))
    values = np.concatenate([np.repeat([7.0, 500.0], 200), np.arange(600.0)])[None, :]
    table, bins = binned(
        np.concatenate([values, np.arange(1000.0)[None]]),
        Schema((Column("many", "categorical", levels), Column("x", "numeric"))),
    )
    codes, groups = node_codes(table, bins)
    assert groups[1] <= 32
    own = [set(codes[table.values[0] == level, 0]) for level in (7.0, 500.0)]
    others = set(codes[~np.isin(table.values[0], [7.0, 500.0]), 0])
    assert len(own[0]) == len(own[1]) == 1
    assert own[0] != own[1]
    assert not (own[0] | own[1]) & others


def test_a_column_without_values_has_no_level_in_use():
    values = np.full((2, 30), np.nan)
    values[1] = np.arange(30)
    for kinds in ("nn", "3n"):
        table, bins = binned(values, schema_of(kinds))
        codes, _ = node_codes(table, bins)
        assert (codes[:, 0] == -1).all()


def test_ranks_are_the_fine_bins():
    values = with_gaps(mixture("n3", 200), 0.1)
    table, bins = binned(values, schema_of("n3"))
    every = np.arange(table.n_rows, dtype=np.int32)
    codes, numeric = bins.ranks(every, np.arange(2, dtype=np.int32))
    assert numeric.tolist() == [True, False]
    assert np.array_equal(codes[1], np.where(np.isnan(table.values[1]), -1, table.values[1]))
    seen = ~np.isnan(table.values[0])
    assert (codes[0][~seen] == -1).all()
    order = np.argsort(table.values[0][seen])
    assert (np.diff(codes[0][seen][order]) >= 0).all()


@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 200), light=st.sampled_from([0.01, 1.0]))
@settings(max_examples=40, deadline=None)
def test_the_kernel_joins_codes_as_plain_arrays_do(seed, n_rows, light):
    values = np.round(with_gaps(mixture("n9n3b", n_rows, seed=seed), 0.2, seed=seed), 1)
    table, bins = binned(values, schema_of("n9n3b"))
    rows = np.flatnonzero(np.arange(table.n_rows) % 4).astype(np.int32)
    weights = light * np.random.default_rng(seed).random(rows.size)
    codes, groups = node_codes(table, bins, rows, weights, coarse=True)
    found = bins.tables(rows, weights, np.arange(5, dtype=np.int32), coarse=True)
    tables = found.sums[: groups[-1], : groups[-1]]
    assert tables == pytest.approx(plain_tables(codes, weights, groups), rel=1e-5)
    assert (np.diff(groups) > codes.max(axis=0, initial=-1)).all()


def test_a_light_node_takes_rare_levels_together():
    """Of nine levels with 1, 2, … 9 rows the heaviest keep their own code; ties go to the first."""
    values = np.repeat(np.arange(9.0), np.arange(1, 10))[None, :]
    table, bins = binned(values, schema_of("9"), np.ones(45))
    every, only = np.arange(table.n_rows, dtype=np.int32), np.zeros(1, np.int32)
    tables, groups = bins.tables(every, table.weights, only, coarse=True)[:2]
    assert groups.tolist() == [0, 4]  # 45 / 2.5 = 4.2²
    assert np.diag(tables).tolist() == [9.0, 8.0, 7.0, 21.0]
    assert bins.tables(every, 10.0 * table.weights, only, coarse=True).groups.tolist() == [0, 9]
    assert bins.tables(every, table.weights, only, coarse=False).groups.tolist() == [0, 9]


def mid_ranks(x, weights):
    """Each number's middle place among the weights, from -1/2 to 1/2; 0 where missing."""
    below, same = x[:, None] > x, x[:, None] == x
    places = (below @ weights + 0.5 * same @ weights) / weights[~np.isnan(x)].sum() - 0.5
    return np.where(np.isnan(x), 0.0, places)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_ranks_of_numbers_are_added_up_with_all_that_rows_have(seed, share):
    """Few different numbers, so that the fine bins are the numbers themselves."""
    values = np.round(with_gaps(mixture("n3nb", 80, seed=seed), share, seed=seed))
    table, bins = binned(values, schema_of("n3nb"))
    codes, groups = node_codes(table, bins)
    rows = np.flatnonzero(np.arange(table.n_rows) % 3).astype(np.int32)
    weights = np.random.default_rng(seed).uniform(0.0, 1.0, rows.size)
    found = bins.tables(rows, weights, np.arange(4, dtype=np.int32), coarse=False)
    codes, groups = node_codes(table, bins, rows, weights)
    assert np.array_equal(found.groups, groups)
    assert found.numeric.tolist() == [True, False, True, False]
    hot = np.zeros((rows.size, groups[-1]))
    row, column = np.nonzero(codes >= 0)
    hot[row, groups[column] + codes[row, column]] = 1.0
    ranks = [mid_ranks(table.values[i, rows], weights) for i in (0, 2)]
    features = np.column_stack([hot, ranks[0], ranks[0] ** 2, ranks[1], ranks[1] ** 2])
    expected = (features * weights[:, None]).T @ features
    assert found.sums == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_a_node_of_whole_rows_has_as_many_as_it_weighs_and_one_of_shares_has_more():
    values = np.stack([np.arange(6.0), np.array([0.0, 0, 0, 1, 1, 1])])
    twice = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0])
    table, bins = binned(values, schema_of("nb"), twice)
    every, columns = np.arange(6, dtype=np.int32), np.arange(2, dtype=np.int32)
    for share, rows_a_weight in ((1.0, 1.0), (0.5, 2.0), (0.1, 10.0)):
        found = bins.tables(every, share * table.weights, columns, coarse=True)
        assert found.rows_a_weight == pytest.approx(rows_a_weight)
    # Of nine rows, all of four and none of the others.
    few = np.where(np.isin(table.weights, [2.0, 3.0]), 0.0, table.weights)
    assert bins.tables(every, few, columns, coarse=True).rows_a_weight == pytest.approx(1.0)
