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
from stats.plain_clustering import both_forms, levels_of


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
    assert counted(*merge_duplicates(values, weights)[:2]) == counted(values, weights)
    table = training_table(values, weights, schema)
    assert table.n_rows == len(counted(values, weights))
    assert table.weights.sum() == weights.sum()


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    def alike(values, bits):
        return np.zeros(values.shape[1], np.uint64)

    values = with_gaps(np.round(mixture("b3n", 80)), 0.2)
    expected = counted(values, np.ones(80))
    monkeypatch.setattr(duplicates, "row_hashes", alike)
    assert counted(*merge_duplicates(values, np.ones(80))[:2]) == expected


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
    assert ((table.single_of >= 0) == expected).all()


def test_each_column_is_single_by_itself():
    values = mixture("bb3n", 60)
    values[1, 5] = np.nan
    table = training_table(values, np.ones(60), schema_of("bb3n"))
    assert table.single_of.tolist() == [0, -1, -1, -1]
    assert table.levels_of.tolist() == [-1, 0, 1, -1]
    assert table.number_of.tolist() == [-1, -1, -1, 0]
    assert table.n_levels.tolist() == [2, 2, 3, 0]
    assert table.has_gaps.tolist() == [False, True, False, False]


def rows_of_table(kinds, n_rows, *, rare, gaps=0.0):
    """A table, and its cells in the order of its rows; with `rare` ones they are compressed."""
    rng = np.random.default_rng(0)
    values = np.concatenate([mixture(kinds, n_rows), np.arange(n_rows)[None] * 1.0])
    if rare:
        is_flag = np.array([kind == "b" for kind in kinds] + [False])
        values = np.where(is_flag[:, None], rng.random(values.shape) < 0.05, values)
    values[: len(kinds)] = with_gaps(values[: len(kinds)], gaps)
    table = training_table(values, np.ones(n_rows), schema_of(kinds + "n"))
    order = np.round(table.numbers[-1] * table.spread[-1] + table.centre[-1]).astype(int)
    return table, values[:, order]


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_a_slice_has_the_cells_of_its_rows(rare, gaps):
    """In any order of rows and columns; single columns first, the others as they come."""
    table, values = rows_of_table("b3nb9nb2", 100, rare=rare, gaps=gaps)
    assert isinstance(table.ones, Csr) == (rare and not gaps)
    rows = np.array([3, 1, 70, 20], np.int32)
    weights, rng = np.array([1.0, 2.0, 3.0, 0.5]), np.random.default_rng(1)
    for _ in range(20):
        columns = rng.permutation(8)[: rng.integers(1, 9)].astype(np.int32)
        data = table.take(rows, weights, columns)
        is_single, has_levels = table.single_of[columns] >= 0, table.levels_of[columns] >= 0
        cells = values[columns][:, rows]
        assert np.array_equal(both_forms(data)[0].dense, cells[is_single])
        n_levels = table.n_levels[columns[has_levels]]
        n_single, n_features = np.count_nonzero(is_single), is_single.sum() + n_levels.sum()
        ends = np.cumsum(np.concatenate([[0], np.ones(n_single, int), n_levels]))
        assert np.array_equal(data.groups, ends)
        assert np.array_equal(data.single, np.arange(ends.size - 1) < n_single)
        levels = ends[n_single:-1, None] + cells[has_levels]
        assert np.array_equal(data.levels, np.where(np.isnan(levels), n_features, levels))
        numbers = (cells - table.centre[columns, None]) / table.spread[columns, None]
        numbers = numbers[table.number_of[columns] >= 0].astype(np.float32)
        assert np.array_equal(data.numbers, numbers, equal_nan=True)
        assert np.array_equal(data.weights, weights)
        assert np.array_equal(data.keys, table.keys[rows])


@pytest.mark.parametrize("rare", [False, True])
def test_levels_are_those_of_the_cells(rare):
    table, values = rows_of_table("b3b9b", 80, rare=rare)
    for column in range(5):
        assert np.array_equal(levels_of(table, column), values[column])


def test_a_key_depends_on_all_cells_and_on_nothing_else():
    values, schema = with_gaps(mixture("b3nb", 90), 0.1), schema_of("b3nb")
    table = training_table(values, np.ones(90), schema)
    assert np.unique(table.keys).size == table.n_rows
    order = np.random.default_rng(0).permutation(90)
    other = training_table(values[:, order[:80]], np.linspace(1.0, 2.0, 80), schema)
    assert set(other.keys.tolist()) <= set(table.keys.tolist())


def test_two_levels_alone_need_no_codes():
    table = training_table(mixture("bb2", 50), np.ones(50), schema_of("bb2"))
    assert table.arrays.codes.size == 0
    values = mixture("bb2", 50)
    values[1, 4] = np.nan
    assert training_table(values, np.ones(50), schema_of("bb2")).codes.codes.shape[0] == 3


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_weights_of_levels_are_those_of_the_rows(rare, gaps):
    kinds, weights = "bb3bn", np.linspace(0.1, 1.0, 200)  # by the number all rows differ
    values = with_gaps(mixture(kinds, 200), gaps)
    if rare:
        few = np.random.default_rng(0).random((4, 200)) < 0.1
        values[:4] = np.where(few | np.isnan(values[:4]), values[:4], 0.0)
    table = training_table(values, weights, schema_of(kinds))
    assert isinstance(table.ones, Csr) == (rare and not gaps)
    for column, n_levels in enumerate((2, 2, 3, 2)):
        expected = [weights[values[column] == level].sum() for level in range(n_levels)]
        assert table.level_weights(column) == pytest.approx(expected)
