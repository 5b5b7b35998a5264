"""Sums over weighted rows: dense or listed, light or heavy."""

from dataclasses import replace

import numpy as np
import pytest

from stats.plain_clustering import both_forms, rows_of

TABLES = [("bbbbbb", 0.0), ("b3n9nb", 0.3), ("9999", 0.0), ("nn", 0.0)]
# Below a million of weight sums are made in single precision, above in double.
UNITS = [(1e-3, 1e-5), (1.0, 1e-5), (1e9, 1e-12)]


@pytest.mark.parametrize(("kinds", "gaps"), TABLES)
@pytest.mark.parametrize(("unit", "error"), UNITS)
def test_weights_of_features_and_pairs_are_those_of_the_matrix(kinds, gaps, unit, error):
    _, rows = rows_of(kinds, 200, gaps=gaps)
    for form in both_forms(replace(rows, weights=unit * rows.weights)):
        x = both_forms(rows)[0].indicators.astype(float)
        assert form.feature_weights() == pytest.approx(x @ form.weights, rel=1e-12)
        expected = (x * form.weights) @ x.T
        lower = np.tril_indices(form.n_features)
        assert form.pair_weights()[lower] == pytest.approx(expected[lower], rel=error)


def test_a_row_more_or_less_is_told_apart_among_many():
    """Single precision tells 2**24 from 2**24 + 1 no more."""
    weights = np.array([2.0**24, 1.0, 1.0])
    _, rows = rows_of("bb", 3, seed=1)
    dense = np.array([[1, 1, 1], [1, 0, 1]], np.float32)
    for form in both_forms(replace(rows, indicators=dense, weights=weights)):
        found = form.pair_weights()
        assert found[0, 0] == 2.0**24 + 2.0
        assert found[1, 0] == found[1, 1] == 2.0**24 + 1.0


def test_binary_rows_have_two_levels_and_no_gap():
    for kinds, gaps, expected in [("bb2", 0.0, True), ("bb", 0.3, False), ("b3", 0.0, False)]:
        assert rows_of(kinds, 60, gaps=gaps)[1].is_binary == expected
    assert not rows_of("bn", 60)[1].is_binary
