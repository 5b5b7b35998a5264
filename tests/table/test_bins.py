"""Coarse bins hold about equal shares, are cut in valleys, and tell humps from single ones."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.errors import SchemaError
from softlearn.table.bins import MOST_BINS, find_bins
from softlearn.table.find_scale import find_scale
from softlearn.table.scale import Scale

many = settings(max_examples=80, deadline=None)


def humps_of(values) -> list[float]:
    scale = find_scale(values)
    return [scale.left[first] for first in scale.humps]


@many
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9), st.booleans()), max_size=60),
    st.sampled_from([1.0, 2500.0, 1e9]),
)
def test_every_bin_has_a_cell_that_is_no_atom(cells, n_rows):
    share, size, atom = (np.array([cell[i] for cell in cells], dtype=float) for i in range(3))
    bins, humps = find_bins(share, size, atom.astype(bool), n_rows)
    assert bins.size != 1
    assert bins.size <= MOST_BINS
    assert np.isin(humps, bins[1:]).all()
    for first, end in pairwise([*bins, len(cells)]):
        assert not atom[first]
        assert end > first


@pytest.mark.parametrize(("n_rows", "n_bins"), [(300, 16), (2400, 24), (5000, 32)])
def test_bins_of_a_smooth_column_hold_equal_shares(n_rows, n_bins):
    scale = find_scale(np.random.default_rng(0).normal(size=n_rows))
    held = np.add.reduceat(scale.share, scale.bins)
    assert len(scale.bins) == n_bins
    np.testing.assert_allclose(held, 1.0 / n_bins, rtol=0.4)


def test_rows_that_count_twice_make_as_many_bins_as_rows_that_are_there_twice():
    values = np.random.default_rng(0).normal(size=1200)
    twice = find_scale(np.repeat(values, 2))
    assert find_scale(values, np.full(1200, 2.0)).bins == twice.bins
    assert len(twice.bins) == 24


@pytest.mark.parametrize("n_rows", [100, 1000, 10_000])
@pytest.mark.parametrize(
    "make", ["normal", "exponential", "standard_cauchy", "uniform", "lognormal"]
)
def test_a_column_of_one_hump_has_one(make, n_rows):
    rng = np.random.default_rng(n_rows)
    assert humps_of(getattr(rng, make)(size=n_rows)) == []


@pytest.mark.parametrize("n_rows", [1000, 10_000])
@pytest.mark.parametrize("step", [0.0, 0.01])
def test_two_humps_are_cut_between_them(n_rows, step):
    rng = np.random.default_rng(n_rows)
    values = rng.normal(np.where(rng.random(n_rows) < 0.3, 0.0, 6.5))
    (cut,) = humps_of(np.rint(values / step) * step if step else values)
    assert 2.0 < cut < 4.5


def test_whole_numbers_around_a_heap_are_no_humps():
    """Without the heap, which is an atom, few lie near it; that is no gap."""
    rng = np.random.default_rng(0)
    values = np.concatenate([np.full(2000, 40.0), rng.normal(40.0, 12.0, 1000).round()])
    values = values[(values == 40.0) | (np.abs(values - 40.0) > 4.0)]
    assert humps_of(values) == []


@pytest.mark.parametrize(
    ("bins", "humps", "said"),
    [
        ((0, 0), (), "bins begin at some of its cells"),
        ((0, 4), (), "bins begin at some of its cells"),
        ((1, 2), (), "first bin begins at the first cell that is no atom"),
        ((0, 1, 2), (), "each bin of a scale has a cell that is no atom"),
        ((), (0,), "humps begin at some of its cells"),
        ((), (4,), "humps begin at some of its cells"),
    ],
)
def test_bins_that_are_none_are_refused(bins, humps, said):
    ends, atom = (0.0, 1.0, 2.0, 3.0), (False, True, False, False)
    with pytest.raises(SchemaError, match=said):
        Scale(ends, ends, (0.25,) * 4, atom, 1.0, bins=bins, humps=humps)
