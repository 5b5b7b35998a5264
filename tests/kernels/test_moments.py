"""Moments of many columns in one pass are those that the Gaussian family takes of each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.kernels.grow.moments import bin_weights, centred_moments
from softlearn.leaf import GAUSSIAN


@given(
    n_rows=st.integers(1, 60),
    seed=st.integers(0, 10_000),
    gaps=st.sampled_from([0.0, 0.4, 1.0]),
    shift=st.sampled_from([0.0, 1e8]),
)
@settings(max_examples=60, deadline=None)
def test_moments_are_those_of_the_rows_one_by_one(n_rows, seed, gaps, shift):
    """Each row of the table stands for `own` equal rows, which share its weight in the node."""
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((3, n_rows)) < gaps, np.nan, shift + rng.normal(size=(3, n_rows)))
    own = rng.integers(1, 4, n_rows).astype(float)
    rows = np.flatnonzero(rng.random(n_rows) < 0.7).astype(np.int32)
    weights = own[rows] * rng.uniform(0.01, 1.0, rows.size)
    columns = np.array([2, 0], np.int32)
    found = centred_moments(values, columns, rows, weights, own)
    times = own[rows].astype(int)
    each = np.repeat(weights / times, times)
    for column, moments in zip(columns, found, strict=True):
        expected = GAUSSIAN.summarise(np.repeat(values[column, rows], times), each)
        mean = expected.centre + expected.offset
        assert moments[0] == pytest.approx(expected.weight)
        assert moments[1] == pytest.approx(expected.pairs, abs=1e-9 * max(1.0, expected.weight**2))
        assert moments[2] + moments[3] == pytest.approx(mean, rel=1e-12)
        assert moments[4] == pytest.approx(expected.scatter, rel=1e-6, abs=1e-9)


@given(n_rows=st.integers(1, 60), seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_bins_hold_the_weight_of_their_rows(n_rows, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((3, n_rows)) < 0.2, np.nan, rng.integers(0, 5, (3, n_rows)))
    bin_of = rng.integers(-1, 3, (3, 5)).astype(np.int32)
    rows = np.flatnonzero(rng.random(n_rows) < 0.7).astype(np.int32)
    weights = rng.uniform(0.01, 1.0, rows.size)
    columns = np.array([2, 0], np.int32)
    found = bin_weights(codes, bin_of, columns, rows, weights, 3)
    for column, own in zip(columns.tolist(), found, strict=True):
        cells = zip(codes[column, rows].tolist(), weights.tolist(), strict=True)
        lies = [(bin_of[column, int(code)], w) for code, w in cells if not np.isnan(code)]
        assert own == pytest.approx([sum(w for at, w in lies if at == b) for b in range(3)])
