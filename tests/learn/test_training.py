"""The training table: equal rows merged, absent rows absent, nothing else changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from softlearn.learn.training import training_table

from learn.table_examples import mixture, schema_of, tables, with_gaps
from softlearn.kernels.grow import duplicates
from softlearn.stats.rows import Listing
from stats.plain_clustering import both_forms


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
    merged = training_table(values, weights, schema)
    assert counted(merged.values, merged.weights) == counted(values, weights)
    assert merged.n_rows == len(counted(values, weights))


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    def alike(values, bits):
        return np.zeros(values.shape[1], np.uint64)

    values = with_gaps(np.round(mixture("b3n", 80)), 0.2)
    expected = counted(values, np.ones(80))
    monkeypatch.setattr(duplicates, "row_hashes", alike)
    merged = training_table(values, np.ones(80), schema_of("b3n"))
    assert counted(merged.values, merged.weights) == expected


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


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_indicators_say_what_the_cells_say(listed, gaps):
    kinds = "9999" if listed else "b3bbb3"
    table = training_table(with_gaps(mixture(kinds, 100), gaps), np.ones(100), schema_of(kinds))
    assert isinstance(table.indicators, Listing) == listed
    rows, columns = np.array([3, 1, 20], np.int32), np.arange(1, len(kinds), dtype=np.int32)
    data = table.take(rows, np.array([1.0, 2.0, 3.0]), columns)
    matrix = both_forms(data)[0].indicators
    for i, row in enumerate(rows):
        found = matrix[:, i]
        for j, column in enumerate(columns):
            part = found[data.groups[j] : data.groups[j + 1]]
            cell = table.values[column, row]
            if data.single[j]:
                assert part.tolist() == [cell]
            elif np.isnan(cell):
                assert not part.any()
            else:
                assert part.tolist() == np.eye(part.size)[int(cell)].tolist()
