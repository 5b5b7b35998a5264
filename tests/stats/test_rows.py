"""Matrices of zeros and ones: whole, or compressed if they have few ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.stats.rows import Csr, indicator_matrix, is_dense


def matrix_of(indicators, n_features):
    """The matrix, (features, rows), whatever its form."""
    if not isinstance(indicators, Csr):
        return indicators
    found = np.zeros((n_features, indicators.start.size - 1))
    for i in range(indicators.start.size - 1):
        own = indicators.feature[indicators.start[i] : indicators.start[i + 1]]
        assert (np.diff(own) > 0).all()
        found[own, i] += 1.0
    return found


@given(
    n_rows=st.integers(1, 30),
    n_features=st.integers(0, 9),
    density=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
    dense=st.booleans(),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_the_ones_are_where_they_were_put(n_rows, n_features, density, dense, seed):
    expected = np.random.default_rng(seed).random((n_features, n_rows)) < density
    found = indicator_matrix(expected, dense=dense)
    assert isinstance(found, Csr) != dense
    assert np.array_equal(matrix_of(found, n_features), expected)


@pytest.mark.parametrize(("n_ones", "compressed"), [(11, True), (12, False)])
def test_few_ones_are_compressed(n_ones, compressed):
    assert is_dense(n_ones, 100) != compressed
