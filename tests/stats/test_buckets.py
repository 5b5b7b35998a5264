"""Buckets and facts: cut anywhere, merged in order, always the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learn.table_examples import mixture, schema_of, tables, with_gaps
from softlearn.stats.bins import FINE_BINS, MISSING, map_of_numbers
from softlearn.stats.buckets import bucket_cuts, count_buckets, different_rows_of
from softlearn.stats.facts import MOST_VALUES, merge, summarise, value_table
from softlearn.stats.layout import layout_of
from softlearn.stats.merging import merged_in_order
from softlearn.stats.table import in_buckets, laid_out, table_of


@pytest.mark.parametrize(("n_rows", "expected"), [(0, 1), (8, 1), (9, 2), (16, 2), (17, 4)])
def test_buckets_are_a_power_of_two(n_rows, expected):
    assert count_buckets(n_rows, 8) == expected


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50), st.sampled_from([1, 2, 8, 64]))
def test_a_bucket_is_a_range_of_keys(keys, n_buckets):
    keys = sorted(keys)
    cuts = bucket_cuts(np.array(keys, np.uint64), n_buckets)
    expected = [key // (2**64 // n_buckets) for key in keys]
    assert np.repeat(np.arange(n_buckets), np.diff(cuts)).tolist() == expected


@given(tables(), st.integers(0, 60))
def test_rows_in_pieces_are_the_rows_together(table, cut):
    values, schema = table
    weights = np.random.default_rng(cut).integers(0, 7, values.shape[1]) / 3.0
    whole = different_rows_of([(values, weights)], schema)
    cut_in_two = [(values[:, :cut], weights[:cut]), (values[:, cut:], weights[cut:])]
    found = different_rows_of(cut_in_two, schema)
    assert np.array_equal(found.values, whole.values, equal_nan=True)
    assert np.array_equal(found.keys, whole.keys)
    assert np.array_equal(found.weights, whole.weights)
    assert (np.diff(whole.keys.astype(object)) >= 0).all()


@given(st.integers(0, 6), st.integers(0, 6))
def test_an_aligned_part_may_be_merged_beforehand(log_size, log_part):
    size, part = 2**log_size, 2 ** min(log_part, log_size)
    leaves = [str(i) for i in range(size)]

    def pair(a, b):
        return f"({a}{b})"

    beforehand = [merged_in_order(leaves[i : i + part], pair) for i in range(0, size, part)]
    assert merged_in_order(beforehand, pair) == merged_in_order(leaves, pair)


@given(tables(), st.sampled_from([2, 5, 20]))
@settings(deadline=None)
def test_facts_of_buckets_are_the_facts_of_the_table(table, bucket_rows):
    values, schema = table
    weights = np.linspace(0.5, 2.0, values.shape[1])
    rows = different_rows_of([(values, weights)], schema)
    whole = summarise(rows, schema)
    parts = merged_in_order(
        (summarise(one, schema) for one in in_buckets(rows, bucket_rows)), merge
    )
    assert parts.n_rows == whole.n_rows
    assert np.array_equal(parts.n_missing, whole.n_missing)
    assert np.array_equal(parts.n_second, whole.n_second)
    for own, other in zip(parts.mass, whole.mass, strict=True):
        assert own == pytest.approx(other)
    assert parts.numbers.keys() == whole.numbers.keys()
    for i, own in parts.numbers.items():
        other = whole.numbers[i]
        assert np.array_equal(own.values, other.values)
        assert own.mass == pytest.approx(other.mass)
        assert (own.weight, own.mean) == pytest.approx((other.weight, other.mean))
        assert own.variance == pytest.approx(other.variance, abs=1e-12)


def test_rows_of_a_bucket_are_laid_out_as_in_the_whole_table():
    schema = schema_of("bn3nb")
    values = with_gaps(mixture("bn3nb", 300), 0.1)
    rows = different_rows_of([(values, np.ones(300))], schema)
    table = table_of(rows, schema)
    parts = [laid_out(one, table) for one in in_buckets(rows, 50)]
    for name in ("levels", "numbers", "codes_of_cells", "bins"):
        together = np.concatenate([getattr(part, name) for part in parts], axis=1)
        assert np.array_equal(together, getattr(table, name), equal_nan=name == "numbers")


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=300))
def test_numbers_of_a_bin_are_neighbours(x):
    x = np.sort(np.array(x, float))
    codes = map_of_numbers(*value_table(x, np.ones(x.size))).codes(x)
    assert (np.diff(codes.astype(int)) >= 0).all()
    assert codes.max() < FINE_BINS
    assert (np.diff(codes[np.append(np.diff(x) == 0.0, False)].astype(int)) >= 0).all()


def test_a_number_never_seen_has_the_code_of_its_neighbours():
    code_map = map_of_numbers(np.array([1.0, 2.0, 5.0]), np.ones(3))
    found = code_map.codes(np.array([0.0, 1.0, 1.5, 5.0, 9.0, np.nan]))
    assert found.tolist() == [0, 0, 1, 2, 2, MISSING]


def test_a_table_of_very_many_values_keeps_their_weight_and_quantiles():
    rng = np.random.default_rng(0)
    x = rng.normal(size=3 * MOST_VALUES)
    values, mass = value_table(x, np.ones(x.size))
    assert values.size <= MOST_VALUES
    assert mass.sum() == pytest.approx(x.size)
    below = np.array([mass[values <= q].sum() for q in (-1.0, 0.0, 1.0)]) / x.size
    assert below == pytest.approx(
        [(x <= q).mean() for q in (-1.0, 0.0, 1.0)], abs=2.0 / MOST_VALUES
    )


def test_a_column_without_a_cell_has_one_code():
    schema = schema_of("n3")
    values = np.array([[np.nan, np.nan], [0.0, 1.0]])
    rows = different_rows_of([(values, np.ones(2))], schema)
    layout = layout_of(summarise(rows, schema), schema)
    assert layout.n_codes.tolist() == [1, 2]
