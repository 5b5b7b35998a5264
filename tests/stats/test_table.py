"""The training table: equal rows merged, absent rows absent, nothing else changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of, tables, with_gaps
from softlearn.kernels.grow import duplicates
from softlearn.stats.duplicates import merge_duplicates
from softlearn.stats.rows import Csr
from softlearn.stats.table import training_table
from stats.plain_clustering import both_forms, level_cells


def counted(values, weights):
    """Rows by their contents, with added weights."""
    found = {}
    for row, weight in zip(values.T.tolist(), weights.tolist(), strict=True):
        key = tuple(None if np.isnan(cell) else cell + 0.0 for cell in row)
        found[key] = found.get(key, 0.0) + weight
    return found


@given(table=tables(max_columns=3), data=st.data())
@settings(max_examples=40, deadline=None)
def test_rows_that_are_alike_are_merged(table, data):
    values, schema = table
    n_rows = values.shape[1]
    weights = np.array(
        data.draw(st.lists(st.integers(1, 5), min_size=n_rows, max_size=n_rows)), float
    )
    assert counted(*merge_duplicates(values, weights)) == counted(values, weights)
    table = training_table(values, weights, schema)
    assert table.n_rows == len(counted(values, weights))
    assert table.weights.sum() == weights.sum()


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    def alike(values, bits):
        return np.zeros(values.shape[1], np.uint64)

    values = with_gaps(np.round(mixture("b3n", 80)), 0.2)
    expected = counted(values, np.ones(80))
    monkeypatch.setattr(duplicates, "row_hashes", alike)
    assert counted(*merge_duplicates(values, np.ones(80))) == expected


def test_zero_has_no_sign():
    merged = training_table(np.array([[0.0, -0.0, 1.0]]), np.ones(3), schema_of("n"))
    assert sorted(merged.weights.tolist()) == [1.0, 2.0]


def test_numbers_are_standardised_by_weight():
    values, weights = mixture("n", 500), np.random.default_rng(0).gamma(1.0, 1.0, 500)
    table = training_table(values, weights, schema_of("n"))
    z = table.numbers[0]
    assert np.average(z, weights=table.weights) == pytest.approx(0.0, abs=1e-9)
    assert np.average(z**2, weights=table.weights) == pytest.approx(1.0)


@pytest.mark.parametrize("value", [0.1, 1e9 / 3, -1e-9 / 7])
def test_rounding_is_no_spread(value):
    values = np.concatenate([np.full((1, 333), value), mixture("n", 333)])
    table = training_table(values, np.ones(333), schema_of("nn"))
    assert np.abs(table.numbers[0]).max() < 1e-6


@pytest.mark.parametrize(
    ("kinds", "gaps", "expected"), [("bb2", 0.0, True), ("bb", 0.3, False), ("3n", 0.0, False)]
)
def test_single_columns_have_two_levels_and_no_gap(kinds, gaps, expected):
    values = with_gaps(mixture(kinds, 60), gaps)
    table = training_table(values, np.ones(60), schema_of(kinds))
    assert (table.single == expected).all()


def test_each_column_is_single_by_itself():
    values = mixture("bb3n", 60)
    values[1, 5] = np.nan
    table = training_table(values, np.ones(60), schema_of("bb3n"))
    assert table.single.tolist() == [True, False, False, False]
    assert np.diff(table.feature_start).tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_indicators_say_what_the_cells_say(compressed, gaps):
    kinds = "9999" if compressed else "b3bbb3"
    table = training_table(with_gaps(mixture(kinds, 100), gaps), np.ones(100), schema_of(kinds))
    assert isinstance(table.indicators, Csr) == compressed
    rows, columns = np.array([3, 1, 20], np.int32), np.arange(1, len(kinds), dtype=np.int32)
    data = table.take(rows, np.array([1.0, 2.0, 3.0]), columns)
    matrix = both_forms(data)[0].dense
    for i, row in enumerate(rows):
        found = matrix[:, i]
        for j, column in enumerate(columns):
            part = found[data.groups[j] : data.groups[j + 1]]
            cell = level_cells(table, column)[row]
            if data.single[j]:
                assert part.tolist() == [cell]
            elif np.isnan(cell):
                assert not part.any()
            else:
                assert part.tolist() == np.eye(part.size)[int(cell)].tolist()


def test_weights_of_levels_are_those_of_the_rows():
    values, weights = with_gaps(mixture("b3n", 200), 0.2), np.linspace(0.1, 1.0, 200)
    table = training_table(values, weights, schema_of("b3n"))
    for column, n_levels in ((0, 2), (1, 3), (2, 0)):
        expected = [weights[values[column] == level].sum() for level in range(n_levels)]
        assert table.level_weights[column] == pytest.approx(expected)
