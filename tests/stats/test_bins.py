"""Bins for the independence tests: about equal mass, equal numbers together, order kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of, with_gaps
from softlearn.kernels.grow import bins as kernel_bins
from softlearn.kernels.grow.bins import pair_tables
from softlearn.stats import bins
from softlearn.stats.bins import FINE_BINS, MISSING, MOST_NODE_BINS
from softlearn.table.schema import Column, Schema
from stats import plain_bins
from stats.plain_bins import joined_codes, pair_codes


def node_tables(codes, weights, *, coarse=False):
    """What the kernel adds up, and where the levels of columns begin."""
    return pair_tables(codes.codes, weights, codes.n_codes, codes.numeric, coarse)


def part(codes, rows):
    """The codes of some rows."""
    return codes._replace(codes=np.ascontiguousarray(codes.codes[:, rows]))


def node_codes(codes, weights, *, coarse=False):
    """The levels that a node tests, (rows, columns), -1 where missing."""
    levels = [
        joined_codes(cells, weights, n_codes, is_number=is_number, coarse=coarse)[0]
        for cells, n_codes, is_number in zip(*codes, strict=True)
    ]
    found = np.stack(levels, axis=1).astype(int)
    found[found == MISSING] = -1
    sums, groups = node_tables(codes, weights, coarse=coarse)
    tables = sums[: groups[-1], : groups[-1]]
    assert tables == pytest.approx(plain_tables(found, weights, groups), rel=1e-5)
    return found, groups


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
    weights = np.ones(n_rows)
    codes, groups = node_codes(pair_codes(values, weights, schema_of("nn")), weights)
    assert (np.diff(groups) <= MOST_NODE_BINS).all()
    for i, x in enumerate(values):
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
    fine = pair_codes(rng.exponential(size=(1, 5000)), weights, schema_of("n"))
    assert fine.n_codes[0] == FINE_BINS
    of_node = node_codes(fine, weights)[0][:, 0]
    for codes, n_bins in ((fine.codes[0], FINE_BINS), (of_node, MOST_NODE_BINS)):
        mass = np.bincount(codes, weights=weights) / weights.sum()
        assert mass.size == n_bins
        assert mass == pytest.approx(1 / n_bins, rel=0.25)


def line(n_rows):
    """The codes of evenly spaced numbers from 0 to 1, and the numbers."""
    x = np.linspace(0.0, 1.0, n_rows)
    return pair_codes(x[None], np.ones(n_rows), schema_of("n")), x


def test_a_node_bins_by_its_own_rows():
    """The upper fifth of a column is cut at its own quantiles, not at those of the table."""
    codes, x = line(3000)
    upper = np.flatnonzero(x > 0.8)
    codes, _ = node_codes(part(codes, upper), np.ones(upper.size))
    mass = np.bincount(codes[:, 0]) / upper.size
    assert mass.size == MOST_NODE_BINS
    assert mass == pytest.approx(1 / MOST_NODE_BINS, rel=0.5)


@pytest.mark.parametrize(("mass", "n_bins"), [(9.0, 2), (20.0, 2), (30.0, 3), (50.0, 4), (9e5, 4)])
def test_the_more_a_node_weighs_the_more_bins_it_makes(mass, n_bins):
    """A table of two such columns has enough weight a cell to be tested, if two bins allow it."""
    _, groups = node_codes(line(300)[0], np.full(300, mass / 300))
    assert np.diff(groups).tolist() == [n_bins]


def test_a_node_bins_by_its_own_weights():
    codes, x = line(3000)
    weights = np.where(x > 0.5, 9.0, 1.0)
    codes, _ = node_codes(codes, weights)
    mass = np.bincount(codes[:, 0], weights=weights) / weights.sum()
    assert mass == pytest.approx(1 / MOST_NODE_BINS, rel=0.25)


def test_one_value_that_is_most_of_the_mass_has_a_bin_of_its_own():
    x = np.concatenate([np.zeros(900), np.linspace(1.0, 2.0, 100)])
    codes, _ = node_codes(pair_codes(x[None], np.ones(1000), schema_of("n")), np.ones(1000))
    assert np.unique(codes[x == 0.0, 0]).size == 1
    assert np.unique(codes[x > 0.0, 0]).size >= 1
    assert not set(codes[x == 0.0, 0]) & set(codes[x > 0.0, 0])


def test_few_levels_are_kept_as_they_are():
    values = mixture("b39", 300)
    codes, _ = node_codes(pair_codes(values, np.ones(300), schema_of("b39")), np.ones(300))
    assert np.array_equal(codes.T, values)


def test_rare_levels_of_a_large_column_are_tested_as_one():
    level = np.concatenate([np.repeat([7.0, 500.0], 200), np.arange(600.0)])
    schema = Schema((Column("many", "categorical", tuple(range(1000))),))
    codes, groups = node_codes(pair_codes(level[None], np.ones(1000), schema), np.ones(1000))
    assert groups[1] <= 32
    own = [set(codes[level == frequent, 0]) for frequent in (7.0, 500.0)]
    others = set(codes[~np.isin(level, [7.0, 500.0]), 0])
    assert len(own[0]) == len(own[1]) == 1
    assert own[0] != own[1]
    assert not (own[0] | own[1]) & others


def test_a_column_without_values_has_no_level_in_use():
    values = np.full((2, 30), np.nan)
    values[1] = np.arange(30)
    for kinds in ("nn", "3n"):
        codes, _ = node_codes(pair_codes(values, np.ones(30), schema_of(kinds)), np.ones(30))
        assert (codes[:, 0] == -1).all()


def test_codes_are_fine_bins_and_levels():
    values = with_gaps(mixture("n3", 200), 0.1)
    codes, n_codes, numeric = pair_codes(values, np.ones(200), schema_of("n3"))
    assert numeric.tolist() == [True, False]
    assert n_codes.tolist() == [FINE_BINS, 3]
    assert np.array_equal(codes[1], np.where(np.isnan(values[1]), MISSING, values[1]))
    seen = ~np.isnan(values[0])
    assert (codes[0][~seen] == MISSING).all()
    order = np.argsort(values[0][seen])
    assert (np.diff(codes[0][seen][order].astype(int)) >= 0).all()


@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(2, 200),
    light=st.sampled_from([0.01, 1.0]),
    coarse=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_kernel_adds_up_what_plain_arrays_do(seed, n_rows, light, coarse):
    values = np.round(with_gaps(mixture("n9n3b", n_rows, seed=seed), 0.2, seed=seed), 1)
    codes = pair_codes(values, np.ones(n_rows), schema_of("n9n3b"))
    rows = np.flatnonzero(np.arange(n_rows) % 4)
    weights = light * np.random.default_rng(seed).random(rows.size)
    levels, groups = node_codes(part(codes, rows), weights, coarse=coarse)
    assert (np.diff(groups) > levels.max(axis=0, initial=-1)).all()
    sums, groups = node_tables(part(codes, rows), weights, coarse=coarse)
    expected = plain_bins.pair_tables(part(codes, rows), weights, np.ones(rows.size), coarse=coarse)
    assert np.array_equal(groups, expected.groups)
    assert sums == pytest.approx(expected.sums, rel=1e-5, abs=1e-5)


def test_a_light_node_takes_rare_levels_together():
    """Of nine levels with 1, 2, … 9 rows the heaviest keep their own code; ties go to the first."""
    level, weights = np.repeat(np.arange(9.0), np.arange(1, 10)), np.ones(45)
    codes = pair_codes(level[None], weights, schema_of("9"))
    tables, groups = node_tables(codes, weights, coarse=True)
    assert groups.tolist() == [0, 4]  # 45 / 2.5 = 4.2²
    assert np.diag(tables).tolist() == [9.0, 8.0, 7.0, 21.0]
    assert node_tables(codes, 10.0 * weights, coarse=True)[1].tolist() == [0, 9]
    assert node_tables(codes, weights, coarse=False)[1].tolist() == [0, 9]


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
    rows = np.flatnonzero(np.arange(80) % 3)
    some = part(pair_codes(values, np.ones(80), schema_of("n3nb")), rows)
    weights = np.random.default_rng(seed).uniform(0.0, 1.0, rows.size)
    codes, groups = node_codes(some, weights)
    hot = np.zeros((rows.size, groups[-1]))
    row, column = np.nonzero(codes >= 0)
    hot[row, groups[column] + codes[row, column]] = 1.0
    ranks = [mid_ranks(values[i, rows], weights) for i in (0, 2)]
    features = np.column_stack([hot, ranks[0], ranks[0] ** 2, ranks[1], ranks[1] ** 2])
    expected = (features * weights[:, None]).T @ features
    sums, _ = node_tables(some, weights)
    assert sums == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_a_node_of_whole_rows_has_as_many_as_it_weighs_and_one_of_shares_has_more():
    values = np.stack([np.arange(6.0), np.array([0.0, 0, 0, 1, 1, 1])])
    own = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0])
    codes = pair_codes(values, own, schema_of("nb"))
    for share, rows_a_weight in ((1.0, 1.0), (0.5, 2.0), (0.1, 10.0)):
        found = plain_bins.pair_tables(codes, share * own, own, coarse=True)
        assert found.rows_a_weight == pytest.approx(rows_a_weight)
    # Of nine rows, all of four and none of the others.
    few = np.where(np.isin(own, [2.0, 3.0]), 0.0, own)
    found = plain_bins.pair_tables(codes, few, own, coarse=True)
    assert found.rows_a_weight == pytest.approx(1.0)


def test_kernels_and_tables_have_the_same_codes():
    assert kernel_bins.MISSING == bins.MISSING
    assert kernel_bins.MOST_NODE_BINS == bins.MOST_NODE_BINS
