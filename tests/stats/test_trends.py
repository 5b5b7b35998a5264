"""Pairs with a number: their ranks against scipy and the plain formula, and what tables add.

Numbers have one bin each unless a test says otherwise, so that tables have nothing to say.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kruskal, rankdata

from softlearn.stats.independence import PairTables, table_parts

seeds = st.integers(0, 100_000)
significances = st.sampled_from([0.5, 0.05, 0.005])


def mid_ranks(x, weights):
    """The middle of the places that equal numbers share; NaN, which is missing, has none."""
    return (x[:, None] > x) @ weights + 0.5 * (x[:, None] == x) @ weights


def pair_tables(columns, numeric, weights, *, n_bins=1, rows_a_weight=1.0):
    """Features of all rows one after the other, multiplied out in double precision."""
    levels, ranks = [], []
    for x, is_number in zip(columns, numeric, strict=True):
        seen = ~np.isnan(x)
        code = np.where(seen, x, -1)
        if is_number:
            rank = np.where(seen, mid_ranks(x, weights), 0.0) / weights[seen].sum()
            code = np.where(seen, np.minimum(rank * n_bins, n_bins - 1).astype(int), -1)
            ranks += [rank - 0.5 * seen, (rank - 0.5 * seen) ** 2]
        levels.append((code == np.arange(code.max() + 1)[:, None]).astype(float))
    features = np.concatenate([*levels, *(rank[None] for rank in ranks)])
    groups = np.concatenate([[0], np.cumsum([len(own) for own in levels])])
    return PairTables((features * weights) @ features.T, groups, np.array(numeric), rows_a_weight)


def is_linked(tables, significance):
    one, other = table_parts(tables, significance)
    return one == other


def by_plain_correlation(x, y, weights, n_rows):
    """The p-value of the weighted correlation of ranks among so many rows."""
    x, y = mid_ranks(x, weights), mid_ranks(y, weights)
    x, y = x - np.average(x, weights=weights), y - np.average(y, weights=weights)
    r = weights @ (x * y) / np.sqrt((weights @ x**2) * (weights @ y**2))
    return chi2.sf((n_rows - 1.0) * r**2, 1)


def following(rng, n_rows, decimals):
    """A number, another that follows it a little, and levels that follow it a little."""
    x = rng.normal(size=n_rows)
    y = rng.choice([0.0, 0.4]) * x + rng.normal(size=n_rows)
    level = np.digitize(rng.choice([0.0, 0.4]) * x + rng.normal(size=n_rows), [-0.8, 0.2])
    return np.round(x, decimals), np.round(y, decimals), level.astype(float)


@given(seeds, st.integers(10, 80), st.sampled_from([0, 1, 9]), significances)
@settings(max_examples=100, deadline=None)
def test_a_number_and_levels_are_judged_as_scipy_does(seed, n_rows, decimals, significance):
    """Weights are repeated rows, those of weight zero are absent, ties count exactly."""
    rng = np.random.default_rng(seed)
    x, _, level = following(rng, n_rows, decimals)
    counts = rng.integers(0, 4, n_rows)
    long_x, long_level = np.repeat(x, counts), np.repeat(level, counts)
    groups = [long_x[long_level == g] for g in np.unique(long_level)]
    assume(counts.sum() > 8 and len(groups) > 1 and np.unique(long_x).size > 1)
    pvalue = kruskal(*groups).pvalue
    assume(abs(pvalue - significance) > 1e-6)
    for order in (slice(None), slice(None, None, -1)):
        columns, numeric = (x, level)[order], (True, False)[order]
        tables = pair_tables(columns, numeric, counts.astype(float))
        assert is_linked(tables, significance) == (pvalue < significance)


@given(seeds, st.integers(10, 80), st.sampled_from([0, 1, 9]), significances)
@settings(max_examples=100, deadline=None)
def test_two_numbers_are_judged_by_the_correlation_of_their_ranks(
    seed, n_rows, decimals, significance
):
    rng = np.random.default_rng(seed)
    x, y, _ = following(rng, n_rows, decimals)
    counts = rng.integers(0, 4, n_rows)
    long_x, long_y = np.repeat(x, counts), np.repeat(y, counts)
    assume(counts.sum() > 8 and np.unique(long_x).size > 1 and np.unique(long_y).size > 1)
    r = np.corrcoef(rankdata(long_x), rankdata(long_y))[0, 1]
    pvalue = chi2.sf((long_x.size - 1) * r**2, 1)
    assume(abs(pvalue - significance) > 1e-6)
    tables = pair_tables((x, y), (True, True), counts.astype(float))
    assert is_linked(tables, significance) == (pvalue < significance)


@given(seeds, st.integers(20, 80), significances)
@settings(max_examples=60, deadline=None)
def test_shares_of_rows_are_judged_by_the_plain_formula(seed, n_rows, significance):
    rng = np.random.default_rng(seed)
    x, y, _ = following(rng, n_rows, 1)
    weights = rng.beta(0.5, 0.5, n_rows)
    assume(weights.sum() > 8.0)
    n_rows = weights.sum() ** 2 / (weights**2).sum()
    pvalue = by_plain_correlation(x, y, weights, n_rows)
    assume(abs(pvalue - significance) > 1e-6)
    rows_a_weight = n_rows / weights.sum()
    tables = pair_tables((x, y), (True, True), weights, rows_a_weight=rows_a_weight)
    assert is_linked(tables, significance) == (pvalue < significance)


@given(seeds, significances)
@settings(max_examples=60, deadline=None)
def test_a_pair_is_tested_on_the_rows_that_have_both(seed, significance):
    """Missing cells leave the ranks of the others as they are; any scores make a fair test."""
    rng = np.random.default_rng(seed)
    x, y, level = following(rng, 60, 1)
    # Large numbers are seen alone, so the mean rank of the rows that have both is not zero.
    alone = (x > 0.3) & (rng.random(60) < 0.8)
    y[alone], level[alone] = np.nan, np.nan
    x[rng.random(60) < 0.3] = np.nan
    both, both_numbers = ~np.isnan(x) & ~np.isnan(level), ~np.isnan(x) & ~np.isnan(y)
    assume(both.sum() > 8 and np.unique(level[both]).size > 1)
    ranks = [mid_ranks(column, np.ones(60)) for column in (x, y)]
    r = np.corrcoef(ranks[0][both_numbers], ranks[1][both_numbers])[0, 1]
    pvalue = chi2.sf((both_numbers.sum() - 1) * r**2, 1)
    assume(abs(pvalue - significance) > 1e-6)
    tables = pair_tables((x, y), (True, True), np.ones(60))
    assert is_linked(tables, significance) == (pvalue < significance)
    rank, own = ranks[0][both], level[both]
    means = np.array([rank[own == level].mean() for level in own])
    pvalue = chi2.sf((rank.size - 1) * means.var() / rank.var(), np.unique(own).size - 1)
    assume(abs(pvalue - significance) > 1e-6)
    tables = pair_tables((x, level), (True, False), np.ones(60))
    assert is_linked(tables, significance) == (pvalue < significance)


def test_two_equal_numbers_need_more_than_eight_rows_of_weight():
    x = np.arange(30.0)
    for mass, expected in ((8.0, False), (8.01, True)):
        weights = np.full(30, mass / 30)
        assert is_linked(pair_tables((x, x), (True, True), weights), 0.01) == expected


@pytest.mark.parametrize("numeric", [(True, True), (True, False)])
def test_a_column_of_one_value_or_none_depends_on_nothing(numeric):
    x = np.arange(60.0)
    for constant in (np.zeros(60), np.where(x < 30, np.nan, 0.0)):
        assert not is_linked(pair_tables((x, constant), numeric, np.ones(60)), 0.9)
    half = np.where(x < 20, np.nan, np.where(x < 40, 0.0, 1.0))
    only_low = np.where(x < 40, x % 2, np.nan)  # where both are seen, half is constant
    assert not is_linked(pair_tables((half, only_low), numeric, np.ones(60)), 0.9)
    never = np.where(x < 20, x % 2, np.nan)
    assert not is_linked(pair_tables((half, never), numeric, np.ones(60)), 0.9)


def test_what_has_no_trend_is_found_by_the_table_at_half_the_significance():
    """A number and how far it is from its middle, with as much noise as makes both answers."""
    rng = np.random.default_rng(0)
    x = np.linspace(-1.0, 1.0, 200)
    answers = []
    for noise in np.linspace(0.1, 4.0, 60):
        y = np.abs(x) + noise * rng.normal(size=200)
        tables = pair_tables((x, y), (True, True), np.ones(200), n_bins=4)
        by_ranks = is_linked(pair_tables((x, y), (True, True), np.ones(200)), 0.01)
        as_levels = tables._replace(numeric=np.zeros(2, bool))
        by_table = is_linked(as_levels, 0.005)
        assert is_linked(tables, 0.01) == (by_ranks or by_table)
        answers.append((by_ranks, by_table, is_linked(as_levels, 0.01)))
    assert {(False, True, True), (False, False, True), (False, False, False)} <= set(answers)


@pytest.mark.parametrize(("weight", "expected"), [(1e-20, False), (1e-12, False), (1.0, True)])
@pytest.mark.parametrize("numeric", [(True, True), (True, False)])
def test_a_row_of_next_to_no_weight_makes_no_trend(weight, expected, numeric):
    """All other rows are alike, so whatever it weighs, it is all that the ranks have to say."""
    x = np.append(np.zeros(40), np.ones(20))
    weights = np.where(x > 0.0, weight, 1.0)
    assert is_linked(pair_tables([x, x], numeric, weights), 0.01) == expected
