"""Moments of a column are those that the Gaussian family takes of its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.kernels.grow.from_python import moments_of
from softlearn.leaf import GAUSSIAN

pytestmark = pytest.mark.jit_off


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
    cells = np.where(rng.random(n_rows) < gaps, np.nan, shift + rng.normal(size=n_rows))
    own = rng.integers(1, 4, n_rows).astype(float)
    rows = np.flatnonzero(rng.random(n_rows) < 0.7).astype(np.int32)
    weights = own[rows] * rng.uniform(0.01, 1.0, rows.size)
    moments = moments_of(cells, rows, weights, own)
    times = own[rows].astype(int)
    each = np.repeat(weights / times, times)
    expected = GAUSSIAN.summarise(np.repeat(cells[rows], times), each)
    assert moments[0] == pytest.approx(expected.weight)
    assert moments[1] == pytest.approx(expected.pairs, abs=1e-9 * max(1.0, expected.weight**2))
    assert moments[2] + moments[3] == pytest.approx(expected.centre + expected.offset, rel=1e-12)
    assert moments[4] == pytest.approx(expected.scatter, rel=1e-6, abs=1e-9)
