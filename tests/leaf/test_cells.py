"""Cells against plain sums over their values: shares, draws, moments, lists and odd numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_scale import (
    COUNTABLE,
    DENSE,
    cells_in,
    listed_weights,
    points_and_weights,
    scale,
    telling_values,
)
from softlearn.circuit import cells_of
from softlearn.errors import SoftlearnError
from softlearn.leaf import Interval, Listed
from softlearn.table.find_scale import Choices, find_scale
from softlearn.table.schema import Column

many = settings(max_examples=100, deadline=None)
COLUMNS = [
    Column("x", kind, scale=found, missing=missing)
    for kind, found in [*COUNTABLE, *DENSE]
    for missing in ("unobserved", "modelled")
]
columns = st.sampled_from(COLUMNS)
ends = st.integers(-24, 36).map(lambda n: n / 4) | st.sampled_from([-np.inf, np.inf])


def in_cell(cell, x):
    """Which of the values lie in a stretch, or are its single value."""
    return (x >= cell.left) & (x <= cell.right)


def parts(column, lo, hi):
    """The share, mean and variance of each cell's part of an interval, from its values."""
    singles = {cell.left for cell in cells_in(column) if cell.left == cell.right}
    x, w = map(np.array, points_and_weights(column, lo, hi))
    whole_x, whole_w = map(np.array, points_and_weights(column))
    for cell in cells_in(column):
        is_point = cell.left == cell.right
        mine, every = (
            in_cell(cell, own) & (is_point | ~np.isin(own, list(singles))) for own in (x, whole_x)
        )
        mass, total = w[mine].sum(), whole_w[every].sum()
        mean = w[mine] @ x[mine] / mass if mass else 0.0
        spread = w[mine] @ (x[mine] - mean) ** 2 / mass if mass else 0.0
        yield (mass / total if total else 0.0), mean, spread


@many
@given(columns, ends, ends)
def test_the_part_of_a_cell_in_an_interval_is_a_sum_over_its_values(column, lo, hi):
    found = cells_of(column).inside(Interval(np.array(lo), np.array(hi)))
    share, mean, variance = map(np.array, zip(*parts(column, lo, hi), strict=True))
    there = share > 0.0
    np.testing.assert_allclose(found.share, share, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.mean[there], mean[there], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.variance[there], variance[there], rtol=1e-10, atol=1e-12)


@many
@given(columns, st.lists(st.integers(0, 30), max_size=6))
def test_listed_numbers_count_once_each_however_often_they_are_named(column, picks):
    every = telling_values(column)
    values = [every[i % len(every)] for i in picks]
    found = cells_of(column).inside(Listed(np.array(values)))
    known, _ = listed_weights(column, values)
    for cell, share in zip(cells_in(column), found.share, strict=True):
        is_point = cell.left == cell.right
        mine = [x for x in known if in_cell(cell, x) and (is_point or x not in single(column))]
        size = 1 if is_point else round((cell.right - cell.left) / (column.scale.step or 1)) + 1
        assert share == pytest.approx(len(mine) / size if column.scale.step or is_point else 0.0)


def single(column):
    return {cell.left for cell in cells_in(column) if cell.left == cell.right}


@many
@given(columns, st.floats(0.0, 1.0, exclude_max=True), ends, ends)
def test_draws_lie_on_the_grid_and_in_the_interval(column, uniform, lo, hi):
    cells = cells_of(column)
    region = Interval(np.array(lo), np.array(hi))
    mass = cells.inside(region).share @ cells.share
    if mass == 0.0:
        return
    x = float(cells.draw(cells.share, np.array(uniform), region))
    assert lo <= x <= hi
    assert cells.code(np.array(x)) >= 0
    if column.scale.step:
        assert x in points_and_weights(column)[0]


@many
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=60), st.integers(0, 10**6))
def test_draws_of_cents_are_cents(counts, seed):
    values = np.array(counts) / 100
    column = Column("x", "numeric", scale=find_scale(values, choices=Choices(step=0.01)))
    cells = cells_of(column)
    drawn = cells.draw(cells.share, np.random.default_rng(seed).random(50), None)
    np.testing.assert_array_equal(drawn, np.round(drawn, 2))


def test_nothing_is_drawn_beyond_a_promised_bound():
    values = np.random.default_rng(0).gamma(2.0, size=300)
    for choices in (Choices(lower=0.0, upper=20.0), Choices(lower=0.0, upper=20.0, step=0.0)):
        found = find_scale(np.round(values, 1), choices=choices)
        cells = cells_of(Column("x", "numeric", scale=found))
        drawn = cells.draw(cells.share, np.linspace(0.0, 1.0, 20_001)[:-1], None)
        assert drawn.min() >= 0.0
        assert drawn.max() <= 20.0
        assert cells.code(np.array([-0.2, 20.5])).tolist() == [-1, -1]


@pytest.mark.parametrize("x", [0.3, 0.1 + 0.2, 0.7, 4.35, 1234.56])
def test_an_interval_that_ends_at_a_decimal_holds_it_however_it_was_rounded(x):
    seen = np.unique(np.round(np.append(np.arange(0.0, 5.0, 0.05), x), 2))
    for values in (seen, np.tile(seen, 3), np.arange(0, 200_000) / 100):
        cells = cells_of(Column("x", "numeric", scale=find_scale(values)))
        up_to, from_on = (
            cells.inside(Interval(np.array(lo), np.array(hi))).share @ cells.share
            for lo, hi in ((-np.inf, x), (x, np.inf))
        )
        assert up_to + from_on > 1.0 + 1e-9  # both hold x


@many
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=40))
def test_the_masses_of_all_whole_numbers_add_to_one(counts):
    found = find_scale(np.array(counts, dtype=float), whole=True)
    cells = cells_of(Column("x", "integer", scale=found))
    sizes = np.rint((cells.right - cells.left) / cells.step) + 1.0
    assert np.exp(np.log(cells.share) + cells.log_base) @ sizes == pytest.approx(1.0, abs=1e-9)
    some = np.array([*counts, -(10**12), 10**12, 0, 1], dtype=float)
    if cells.step == 1.0:
        assert (cells.code(some) >= 0).all()


def test_numbers_without_a_cell_and_nan_have_no_code():
    for column in COLUMNS:
        code = cells_of(column).code(np.array([np.nan, -np.inf, -50.0, 100.0, np.inf]))
        last = cells_of(column).n - 1 if column.missing == "modelled" else -1
        assert code.tolist() == [-1, -1, -1, -1, last]


def test_bounds_of_nan_are_no_bounds_and_other_rows_keep_theirs():
    cells = cells_of(Column("x", "integer", scale=COUNTABLE[0][1], missing="modelled"))
    lo, hi = np.array([np.nan, -np.inf, 2.0]), np.array([np.nan, np.inf, 2.0])
    share = cells.inside(Interval(lo, hi)).share
    assert share[0].tolist() == [1.0] * cells.n
    assert share[1].tolist() == [1.0] * (cells.n - 1) + [0.0]
    assert share[2].tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_higher_moments_are_refused():
    with pytest.raises(SoftlearnError, match="up to the second"):
        cells_of(COLUMNS[0]).moment(3, 0.0, None)


def test_normal_scores_are_symmetric_and_finite_also_for_cells_without_a_share():
    cells = cells_of(
        Column("x", "integer", scale=scale([(0, 1), (2, 3), (4, 5)], [1, 0, 1], step=1))
    )
    assert cells.score[0] == -cells.score[2] < 0.0
    assert cells.score[1] == 0.0
    tails = cells_of(
        Column("x", "numeric", scale=find_scale(np.random.default_rng(1).normal(size=99)))
    )
    assert np.isfinite(tails.score).all()
    assert (np.diff(tails.score) >= 0.0).all()


@pytest.mark.parametrize(
    "values", [[0.25, 1e300], [-1e300, 1e300], [1e-300, 2e-300], [1e306], [2.0**53 - 1, 2.0**53]]
)
def test_huge_and_tiny_numbers_have_scores_draws_and_means(values):
    whole = values[0] > 1e15 and values[-1] < 1e300
    found = find_scale(values, whole=whole)
    cells = cells_of(Column("x", "integer" if whole else "numeric", scale=found))
    assert np.isfinite(cells.log_base).all()
    assert (cells.code(np.array(values)) >= 0).all()
    drawn = cells.draw(cells.share, np.linspace(0.0, 1.0, 101)[:-1], None)
    assert np.isfinite(drawn).all()
    assert np.isfinite(cells.moment(1, 0.0, None)).all()
