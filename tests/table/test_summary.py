"""What parts of a table tell of its columns merges to what the whole table tells."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from softlearn.errors import IdentifierWarning, SoftlearnError, TableError
from softlearn.table import infer_schema
from softlearn.table.counts import WeightTotals, exact_sum
from softlearn.table.infer import schema_of
from softlearn.table.refining import HEAVY, in_passes
from softlearn.table.resolution import Decimals, find_grid
from softlearn.table.summary import merge, summarise
from strategies_table import LIBRARIES, frames

many = settings(max_examples=80, deadline=None)
weights_of_rows = st.one_of(
    st.floats(0.0, 50.0), st.integers(0, 5).map(float), st.just(0.1), st.floats(0.0, 1e300)
)


def rows(frame, start, stop):
    return frame.iloc[start:stop] if hasattr(frame, "iloc") else frame[start:stop]


def in_parts(frame, cuts, weights=None):
    """The summary of a frame, summarised between cuts and merged two at a time."""
    n_rows = frame.shape[0]
    edges = [0, *sorted(cuts), n_rows]
    totals = None
    if weights is not None:
        found = [WeightTotals.of(weights[a:b]) for a, b in pairwise(edges)]
        totals = found[0]
        for one in found[1:]:
            totals = totals.merged(one)
    parts = [
        summarise(
            rows(frame, a, b),
            None if weights is None else totals.as_counts(weights[a:b]),
            f"partition {number}",
        )
        for number, (a, b) in enumerate(pairwise(edges))
    ]
    while len(parts) > 1:
        parts = [merge(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0]


def schema_or_refusal(make):
    """The schema as plain values, or that there is none; how it is worded depends on the row."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentifierWarning)
            return make().to_dict()
    except SoftlearnError as error:
        return type(error)


@pytest.mark.parametrize("library", LIBRARIES)
@many
@given(st.data())
def test_any_cut_gives_the_schema_of_the_whole(library, data):
    frame = data.draw(frames(library))
    n_rows = frame.shape[0]
    cuts = data.draw(st.lists(st.integers(0, n_rows), max_size=7))
    missing = data.draw(st.sampled_from(["unobserved", "modelled"]))
    weights = data.draw(st.none() | arrays.arrays(np.float64, n_rows, elements=weights_of_rows))
    whole = schema_or_refusal(lambda: infer_schema(frame, missing=missing, weights=weights))
    merged = schema_or_refusal(lambda: schema_of(in_parts(frame, cuts, weights), missing=missing))
    assert merged == whole


@pytest.mark.parametrize("n_parts", [1, 2, 7])
def test_a_table_of_every_kind_in_parts(n_parts):
    frame = table_of_every_kind(900)
    weights = np.random.default_rng(1).exponential(size=900)
    cuts = np.linspace(0, 900, n_parts + 1).astype(int)[1:-1].tolist()
    said = {"count": {"lower": 0}, "code": "categorical", "level": {"missing": "modelled"}}
    expected = infer_schema(frame, overrides=said, weights=weights)
    found = schema_of(in_parts(frame, cuts, weights), overrides=said)
    assert found.to_dict() == expected.to_dict()
    assert [column.kind for column in found] == [
        *("numeric", "integer", "boolean", "categorical", "categorical", "datetime", "datetime"),
        *("categorical", "numeric"),
    ]


def table_of_every_kind(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    x[rng.random(n) < 0.2] = 0.0
    x[rng.random(n) < 0.1] = np.nan
    day = np.datetime64("2024-01-01") + rng.integers(0, 99, n).astype("m8[D]")
    return pd.DataFrame(
        {
            "x": x,
            "count": rng.poisson(30, n),
            "yes": rng.integers(0, 2, n).astype(float),
            "word": rng.choice(["red", "green", "blue"], n),
            "level": pd.Categorical(rng.choice(["low", "high"], n), ["low", "high"], ordered=True),
            "day": day,
            "written": day.astype(str),
            "code": rng.integers(1, 5, n),
            "price": rng.integers(100, 999, n) / 100,
        }
    )


@many
@given(
    arrays.arrays(np.float64, st.integers(0, 30), elements=st.floats(0, 1e308)),
    st.randoms(use_true_random=False),
)
def test_totals_of_weights_depend_on_no_order(weights, random):
    shuffled = weights.copy()
    random.shuffle(shuffled)
    expected = sum(map(Fraction, weights.tolist()), Fraction(0))
    assert exact_sum(weights) == exact_sum(shuffled) == expected


@many
@given(
    st.lists(st.integers(-5000, 5000).map(lambda n: n / 100), min_size=1, max_size=20), st.data()
)
def test_how_numbers_are_written_merges(numbers, data):
    values = np.unique(np.array(numbers))
    cut = data.draw(st.integers(1, values.size))
    parts = [Decimals.of(part) for part in (values[:cut], values[cut:]) if part.size]
    merged = parts[0] if len(parts) == 1 else parts[0].merged(parts[1])
    assert merged._replace(first=0) == Decimals.of(values)._replace(first=0)
    assert find_grid(values, merged, whole=False) == find_grid(values, whole=False)


def in_passes_over(frame, cuts, most, weights=None):
    """The summary of a frame in parts of which each keeps at most so many values of a column."""
    edges = [0, *sorted(cuts), frame.shape[0]]

    def summary_of(within):
        parts = [
            summarise(rows(frame, a, b), None if weights is None else weights[a:b], within=within)
            for a, b in pairwise(edges)
        ]
        parts = [part.bounded(most) for part in parts]
        while len(parts) > 1:
            parts = [merge(parts[i : i + 3]).bounded(most) for i in range(0, len(parts), 3)]
        return parts[0]

    return in_passes(summary_of)


many_values = st.sampled_from(
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: np.where(rng.random(n) < 0.3, 4.25, rng.normal(size=n)),
        lambda rng, n: np.where(rng.random(n) < 0.9, 1000.0, 0.0) + rng.normal(size=n) * 1e-6,
        lambda rng, n: np.round(rng.lognormal(5.0, 1.0, n), 2),
        lambda rng, n: rng.integers(-(10**9), 10**9, n).astype(float),
        lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-200, 200, n),
    ]
)


@many
@given(many_values, st.integers(0, 2**32), st.lists(st.integers(0, 600), max_size=8), st.data())
def test_many_values_are_joined_alike_however_the_rows_are_cut_and_ordered(draw, seed, cuts, data):
    rng = np.random.default_rng(seed)
    n, most = 600, data.draw(st.integers(16, 100))
    x = draw(rng, n)
    weights = rng.integers(0, 4, n).astype(float) if data.draw(st.booleans()) else None
    order = rng.permutation(n)
    one = in_passes_over(x[:, None], [], most, weights).columns[0]
    cut = in_passes_over(
        x[order][:, None], cuts, most, None if weights is None else weights[order]
    ).columns[0]
    np.testing.assert_array_equal(one.cells.values, cut.cells.values)
    np.testing.assert_array_equal(one.weight, cut.weight)
    assert one.weight.sum() == (n if weights is None else weights.sum())
    assert np.isin(one.cells.values, x).all()
    assert one.written is None or find_grid(one.cells.values, one.written, whole=False) == (
        find_grid(np.unique(x), whole=False)
    )


def test_heavy_values_and_the_ends_of_a_column_are_known_exactly():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(7.0, 0.001, 20_000), np.full(500, 7.0001), np.full(50, 7.0002)])
    x = np.concatenate([x, rng.normal(0.0, 1e6, 2000)])
    found = in_passes_over(x[:, None], [5000, 21_000], 4000).columns[0].distinct("numeric")
    of = dict(zip(found.value.tolist(), found.weight.tolist(), strict=True))
    assert (of[7.0001], of[7.0002]) == (500.0, 50.0)
    in_order = np.sort(x)
    np.testing.assert_array_equal(found.value[:6], in_order[:6])
    np.testing.assert_array_equal(found.value[-6:], in_order[-6:])
    below = np.searchsorted(in_order, found.value, side="right") / x.size
    off = np.abs(np.cumsum(found.weight) / x.size - below)
    assert off.max() < HEAVY


def test_beyond_the_most_values_quantiles_atoms_steps_and_bounds_are_kept():
    rng = np.random.default_rng(3)
    n, most = 40_000, 2000
    price = np.round(rng.lognormal(5.0, 1.0, n), 2)
    price[rng.random(n) < 0.1] = 99.99
    frame = pd.DataFrame({"price": price, "x": rng.normal(size=n)})
    whole = infer_schema(frame)
    found = schema_of(in_passes_over(frame, range(0, n, 5000), most))
    assert found["price"].scale.step == whole["price"].scale.step == 0.01
    assert found["price"].reason == whole["price"].reason
    for name, column in (("price", price), ("x", frame["x"].to_numpy())):
        scale, true = found[name].scale, whole[name].scale
        assert (scale.lower, scale.upper) == (true.lower, true.upper)
        assert [a for a, is_atom in zip(scale.left, scale.atom, strict=True) if is_atom] == [
            a for a, is_atom in zip(true.left, true.atom, strict=True) if is_atom
        ]
        below = np.array([np.mean(column <= right) for right in scale.right])
        expected = np.array([np.mean(column <= right) for right in true.right])
        off = np.abs(np.cumsum(true.share) - expected).max()
        assert np.abs(np.cumsum(scale.share) - below).max() < off + HEAVY


def test_one_number_that_is_not_whole_is_never_lost():
    frame = pd.DataFrame({"n": np.arange(3000.0)})
    frame.loc[1234, "n"] = 1234.5
    found = schema_of(in_passes_over(frame, [700, 1500], 128))
    assert found["n"].kind == "numeric"
    assert found["n"].scale.step == 0.5
    frame.loc[1300, "n"] = 1300.25  # joined with whole neighbours
    assert schema_of(in_passes_over(frame, [700, 1500], 128))["n"].scale.step == 0.25


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"a": [1], "c": [2]}, "partition 1 has no column 'b', which partition 0 has"),
        ({"a": [1], "b": ["x"], "c": [2]}, "partition 0 has no column 'c'"),
        ({"a": [1.5], "b": ["x"]}, "column 'a' is stored as int64 and as float64"),
    ],
)
def test_parts_that_do_not_fit_are_named(second, words):
    parts = [pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.DataFrame(second)]
    summaries = [summarise(part, place=f"partition {i}") for i, part in enumerate(parts)]
    with pytest.raises(TableError, match=words):
        merge(summaries)


def test_parts_with_nothing_in_them_fit_any_other():
    full = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})
    parts = [full.iloc[:0], pd.DataFrame({"a": [np.nan, np.nan], "b": [None, None]}), full]
    found = schema_of(merge([summarise(part) for part in parts]))
    assert found["a"].levels == ("x", "y")
    assert found["b"].scale.missing_share == 0.5


DAY, TIME = dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 12)


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, Decimal("0.5"), Decimal("1.5")],
        [1.5, 2.5, 3, 4],
        [Decimal(1), Decimal(2), Decimal(3), Decimal("0.5")],
        [DAY, DAY, TIME, TIME],
        [TIME.replace(tzinfo=dt.UTC), TIME.replace(tzinfo=dt.UTC)] * 2,
        [None, None, DAY, DAY],
    ],
)
def test_python_objects_are_made_again_as_those_of_the_whole(cells):
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    expected = infer_schema(frame)["a"]
    for cuts in ([2], [1, 3]):
        assert schema_of(in_parts(frame, cuts))["a"].to_dict() == expected.to_dict()


def test_declared_levels_are_kept_if_all_parts_say_the_same_and_sorted_otherwise():
    def part(levels, *cells):
        return summarise(pd.DataFrame({"a": pd.Categorical(cells, levels)}))

    same = merge([part(["z", "a"], "a"), part(["z", "a"], "z")])
    assert schema_of(same)["a"].levels == ("z", "a")
    for order in ((0, 1), (1, 0)):
        others = [part(["z", "a"], "a"), part(["z", "b"], "b")]
        assert schema_of(merge([others[i] for i in order]))["a"].levels == ("a", "b", "z")


def test_an_order_of_levels_that_differs_is_refused():
    parts = [
        summarise(pd.DataFrame({"a": pd.Categorical(["x"], levels, ordered=True)}), place=place)
        for levels, place in ((["x", "y"], "partition 0"), (["y", "x"], "partition 1"))
    ]
    with pytest.raises(TableError, match=r"partition 1.*'a' has categories in an order"):
        merge(parts)
