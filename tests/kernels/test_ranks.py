"""Rank statistics against scipy: ties, gaps, and weights as repeated rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr

from softlearn.kernels.grow.ranks import kendall, kruskal

pytestmark = pytest.mark.jit_off
rows = st.lists(
    st.tuples(st.integers(-1, 5), st.integers(-1, 3), st.integers(0, 4)), min_size=3, max_size=40
)


def table_of(x, y, weights):
    """The weight of each pair of ranks; -1 is missing."""
    seen = (x >= 0) & (y >= 0)
    table = np.zeros((x.max(initial=0) + 1, y.max(initial=0) + 1))
    np.add.at(table, (x[seen], y[seen]), weights[seen])
    return table


def repeated(x, y, weights):
    seen = (x >= 0) & (y >= 0)
    counts = weights[seen].astype(int)
    return np.repeat(x[seen], counts), np.repeat(y[seen], counts)


@given(rows)
@settings(max_examples=150, deadline=None)
def test_kendall_is_that_of_scipy(table):
    x, y, weights = (np.array(part) for part in zip(*table, strict=True))
    long_x, long_y = repeated(x, y, weights)
    assume(np.unique(long_x).size > 1 and np.unique(long_y).size > 1 and long_x.size > 2)
    found = kendall(table_of(x, y, weights))
    expected = stats.kendalltau(long_x, long_y, method="asymptotic")
    assert 2.0 * ndtr(-abs(found)) == pytest.approx(expected.pvalue, abs=1e-9)
    assert np.sign(round(found, 9)) == np.sign(round(expected.statistic, 9))


@given(rows)
@settings(max_examples=150, deadline=None)
def test_kruskal_is_that_of_scipy(table):
    x, group, weights = (np.array(part) for part in zip(*table, strict=True))
    long_x, long_group = repeated(x, group, weights)
    groups = np.unique(long_group)
    assume(groups.size > 1 and np.unique(long_x).size > 1)
    found, freedom = kruskal(table_of(x, group, weights))
    expected = stats.kruskal(*(long_x[long_group == g] for g in groups))
    assert freedom == groups.size - 1
    assert found == pytest.approx(expected.statistic, abs=1e-9)


def test_a_constant_says_nothing():
    x, y = np.zeros(20, int), np.arange(20)
    assert kendall(table_of(x, y, np.ones(20))) == 0.0
    assert kendall(table_of(y, x, np.ones(20))) == 0.0
    assert kruskal(table_of(x, y % 2, np.ones(20)))[0] == 0.0
    assert kruskal(table_of(y, x, np.ones(20))) == (0.0, 0)


def test_too_few_rows_say_nothing():
    x = np.array([0, 1])
    assert kendall(table_of(x, x, np.ones(2))) == 0.0


def test_weight_below_one_row_is_no_division_by_zero():
    x = np.arange(5)
    assert np.isfinite(kendall(table_of(x, x, np.full(5, 0.1))))
    assert np.isfinite(kruskal(table_of(x, x % 2, np.full(5, 0.1)))[0])
