"""Finding a scale: what is possible and what it costs, grids, bounds, atoms, weights, oddities."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from softlearn.errors import SchemaError
from softlearn.numeric_policy import SCALE_SMOOTHING
from softlearn.table.find_scale import Choices, find_scale
from softlearn.table.scale import MOST_CELLS, Scale

many = settings(max_examples=80, deadline=None)
wholes = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=60)
numbers = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=60)


def cell_of(scale: Scale, x: float) -> int | None:
    """The cell of a value, by looking at all of them; a single value goes before a stretch."""
    ends = list(zip(scale.left, scale.right, strict=True))
    near = 1e-6 * scale.step
    for i, (left, right) in enumerate(ends):
        if left == right and abs(x - left) <= near:
            return i
    for i, (left, right) in enumerate(ends):
        if left - near <= x <= right + near:
            return i
    return None


def price(scale: Scale, x: float, *, whole: bool = False) -> float:
    """What a value costs in nats in the column as a whole."""
    i = cell_of(scale, x)
    if i is None:
        return np.inf
    length = scale.right[i] - scale.left[i]
    size = round(length / scale.step) + 1 if scale.step else length
    size *= 1.0 if whole or not scale.step else scale.step
    with np.errstate(divide="ignore"):
        return -np.log(scale.share[i]) + (np.log(size) if length else 0.0)


def n_values(scale: Scale) -> np.ndarray:
    return np.rint((np.array(scale.right) - np.array(scale.left)) / scale.step) + 1.0


def same(one: Scale, other: Scale) -> None:
    np.testing.assert_allclose(one.left, other.left, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.right, other.right, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.share, other.share, rtol=1e-9, atol=1e-300)
    assert one.atom == other.atom
    assert one.step == other.step
    assert (one.lower, one.upper) == (other.lower, other.upper)


# --- What is possible -----------------------------------------------------------------------------


@many
@given(wholes)
def test_every_whole_number_is_possible_and_they_add_to_one(values):
    scale = find_scale(values, whole=True)
    assert scale.step == round(scale.step) > 0
    assert sum(scale.share) == pytest.approx(1.0, abs=1e-12)
    assert min(scale.share) > 0.0
    # Cells follow each other without a gap, so that each number of the grid is in one of them.
    gaps = np.array(scale.left[1:]) - np.array(scale.right[:-1])
    np.testing.assert_allclose(gaps, scale.step, rtol=1e-9)
    if scale.step == 1.0:
        assert scale.left[0] < -1e12
        assert scale.right[-1] > 1e12
        for x in (-1e12, -12345.0, 0.0, 3.0, 1e12):
            assert price(scale, x, whole=True) < 200.0


@many
@given(numbers)
def test_every_seen_number_has_a_cell_and_shares_add_to_one(values):
    scale = find_scale(values)
    assert scale.n_cells <= MOST_CELLS
    assert sum(scale.share) == pytest.approx(1.0, abs=1e-12)
    assert all(cell_of(scale, x) is not None for x in values)
    assert all(price(scale, x) < np.inf for x in values)


@many
@given(numbers)
def test_no_number_between_the_tails_is_left_out(values):
    scale = find_scale(values, choices=Choices(step=0.0))
    gaps = np.array(scale.left[1:]) - np.array(scale.right[:-1])
    size = np.maximum(np.abs(scale.left[1:]), np.abs(scale.right[:-1]))
    assert (gaps <= 2 * np.spacing(size)).all()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("value", [0.0, 7.0, -3.0, 1e6])
def test_a_constant_column_meets_another_value_at_a_finite_price(value, whole):
    scale = find_scale([value] * 100, whole=whole)
    assert price(scale, value, whole=whole) < 0.1
    for other in (value + 1.0, value - 1.0, 2.0 * value + 5.0):
        assert price(scale, other, whole=whole) < 50.0
    for n_rows in (100, 10_000):
        scale = find_scale([value] * n_rows, whole=whole)
        # A leaf of so many rows has this much of the column as a whole, and no more.
        in_a_leaf = np.log(n_rows / SCALE_SMOOTHING)
        assert price(scale, 10.0 * value, whole=whole) + in_a_leaf < 50.0
    very_many = find_scale([value], np.array([1e9]), whole=whole)
    assert price(very_many, 10.0 * value, whole=whole) < 50.0
    beyond_zero = -value - 1.0
    assert price(scale, beyond_zero, whole=whole) < 70.0


@pytest.mark.parametrize("whole", [True, False])
def test_an_outlier_a_thousand_million_spreads_away_has_a_finite_price(whole):
    rng = np.random.default_rng(0)
    values = np.rint(100 * rng.normal(size=500)) if whole else rng.normal(size=500)
    scale = find_scale(values, whole=whole)
    spread = values.max() - values.min()
    for far in (1e9 * spread, -1e9 * spread):
        assert price(scale, far, whole=whole) < 150.0


def test_beyond_a_bound_that_was_only_seen_little_is_left():
    scale = find_scale(np.arange(1.0, 200.0), whole=True)
    assert scale.lower == 0.0
    below = sum(s for s, right in zip(scale.share, scale.right, strict=True) if right < 0.0)
    assert 0.0 < below < 2e-12


def test_a_grid_that_ends_though_rows_are_left_has_bounds():
    rows_of_day = np.r_[
        322, 1293, np.full(28, 1500), 643
    ]  # calls are rare on the first and the 31st
    scale = find_scale(np.repeat(np.arange(1.0, 32.0), rows_of_day), whole=True)
    assert (scale.lower, scale.upper) == (1.0, 31.0)


def test_a_grid_that_thins_out_has_no_upper_bound():
    for mean in (8.0, 40.0, 400.0):
        counts = np.random.default_rng(0).poisson(mean, 20_000).astype(float)
        assert find_scale(counts, whole=True).upper is None


def test_beyond_a_bound_that_was_promised_nothing_is_left():
    scale = find_scale(np.arange(1.0, 200.0), whole=True, choices=Choices(lower=0.0, upper=500.0))
    assert (scale.left[0], scale.right[-1]) == (0.0, 500.0)
    assert price(scale, -1.0, whole=True) == np.inf
    assert price(scale, 501.0, whole=True) == np.inf
    assert price(scale, 500.0, whole=True) < 20.0
    line = find_scale(
        np.linspace(0.1, 1.0, 50) ** 2, choices=Choices(lower=0.0, upper=2.0, step=0.0)
    )
    assert (line.left[0], line.right[-1]) == (0.0, 2.0)


@many
@given(
    st.lists(st.integers(-200, 200), min_size=1, max_size=30),
    st.floats(0.0, 40.0),
    st.sampled_from([1.0, 0.1, 0.0]),
)
def test_no_cell_reaches_beyond_a_promised_bound(counts, room, step):
    values = np.array(counts) * (step or 0.3)
    lower, upper = values.min() - room, values.max() + room
    scale = find_scale(values, choices=Choices(lower=lower, upper=upper, step=step))
    near = 1e-6 * step
    assert scale.left[0] >= lower - near
    assert scale.right[-1] <= upper + near
    if step:  # and the last value of the grid before the bound is possible
        assert scale.right[-1] > upper - step * (1 + 1e-6)


# --- Weights, order, units ------------------------------------------------------------------------


@many
@given(st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 3)), min_size=1, max_size=40))
@example([(0, 1)])
def test_a_weight_is_the_value_that_often_and_0_is_absence(rows):
    rows = [*rows, (5, 1)]
    values = np.array([value for value, _ in rows], dtype=float)
    weights = np.array([weight for _, weight in rows], dtype=float)
    repeated = np.repeat(values, weights.astype(int))
    same(find_scale(values, weights, whole=True), find_scale(repeated, whole=True))
    same(find_scale(values / 7.0, weights), find_scale(repeated / 7.0))


@many
@given(numbers, st.randoms())
def test_the_order_of_rows_does_not_matter(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    same(find_scale(values), find_scale(shuffled))


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 0.37, 1.5, 1e150, 1e300])
def test_equal_weights_of_any_size_are_no_weights(factor):
    rng = np.random.default_rng(1)
    for values, whole in ((rng.normal(size=300), False), (rng.poisson(3.0, 300) * 1.0, True)):
        weighted = find_scale(values, np.full(300, factor), whole=whole)
        same(weighted, find_scale(values, whole=whole))


@pytest.mark.parametrize(
    ("factor", "shift"), [(2.0, 0.0), (0.001, 0.0), (1.0, 1000.0), (3.0, -70.0)]
)
def test_other_units_move_the_cells_of_a_continuous_column(factor, shift):
    values = np.random.default_rng(2).normal(size=400)
    scale, moved = (find_scale(x, signed=True) for x in (values, factor * values + shift))
    np.testing.assert_allclose(moved.share, scale.share, rtol=1e-6, atol=1e-15)
    inner = slice(11, -11)
    expected = factor * np.array(scale.left[inner]) + shift
    np.testing.assert_allclose(moved.left[inner], expected, rtol=1e-9, atol=1e-9 * factor)


# --- Grids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (np.arange(300) * 37 % 1000 / 100.0, 0.01),
        (np.arange(9) / 2.0, 0.5),
        (np.array([0.5, 1.0, 1.5]), 0.1),  # too few values for a habit of halves
        (5.0 * np.arange(-4, 5), 5.0),
        (5.0 * np.arange(7), 1.0),
        (np.array([3.0, 10.0, 17.0, 24.0, 31.0, 38.0, 45.0, 52.0]), 7.0),
        (np.random.default_rng(0).normal(size=50), 0.0),
        (np.array([1 / 3, 2 / 3]), 0.0),
        (86400.0 * np.arange(19000, 19030), 86400.0),
        (3600.0 * np.array([1, 2, 4, 5, 8, 11, 12, 30]), 3600.0),
    ],
    ids=["cents", "halves", "few", "fives", "some", "sevens", "line", "thirds", "days", "hours"],
)
def test_the_grid_is_found(values, step):
    assert find_scale(values).step == pytest.approx(step, rel=1e-12)


def test_cells_of_a_grid_lie_on_it():
    values = np.random.default_rng(3).integers(0, 100_000, 3000) / 100.0
    scale = find_scale(values)
    for side in (scale.left, scale.right):
        near = np.array(side)[np.abs(side) < 1e6] * 100.0
        np.testing.assert_allclose(near, np.rint(near), atol=1e-6)
    singles = {x for x, y in zip(scale.left, scale.right, strict=True) if x == y}
    assert {0.1, 0.2, 0.3} - singles == {0.1, 0.2, 0.3} - (singles & set(values.tolist()))


@many
@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=50))
def test_single_values_stay_the_numbers_that_were_seen(cents):
    values = [count / 100 for count in cents]
    scale = find_scale(values)
    singles = {x for x, y in zip(scale.left, scale.right, strict=True) if x == y}
    seen_alone = {x for x in singles if min(abs(x - value) for value in values) < 1e-3}
    assert seen_alone <= set(values)


@pytest.mark.parametrize("centre", [0.0, 1e3, -1e5, 1e9, 5e9, 1e12])
def test_computed_numbers_of_any_size_lie_on_no_grid(centre):
    values = centre + np.random.default_rng(7).normal(size=200)
    assert find_scale(values).step == 0.0


def test_a_step_that_values_do_not_keep_is_refused():
    with pytest.raises(SchemaError, match=r"the value 2\.5 does not lie on a grid of step 1"):
        find_scale([1.0, 2.0, 2.5], choices=Choices(step=1.0))


# --- Atoms ----------------------------------------------------------------------------------------


def test_values_that_stand_out_are_atoms():
    rng = np.random.default_rng(4)
    counts = np.concatenate([np.zeros(300), rng.integers(1, 400, 700), np.full(50, 999.0)])
    assert find_scale(counts, whole=True).atoms == (0.0, 999.0)
    money = np.concatenate([np.zeros(300), rng.lognormal(size=700), np.full(40, 99.0)])
    assert find_scale(money).atoms == (0.0, 99.0)


def test_a_smooth_column_has_none():
    rng = np.random.default_rng(5)
    assert find_scale(rng.normal(size=2000)).atoms == ()
    assert find_scale(rng.poisson(200.0, 2000) * 1.0, whole=True).atoms == ()


def test_a_column_of_few_values_takes_them_all():
    values = np.repeat([1.0, 2.0, 5.0], [10, 20, 30])
    scale = find_scale(values, whole=True)
    assert scale.atoms == (1.0, 2.0, 5.0)


def test_chosen_atoms_are_taken_and_unknown_ones_refused():
    values = np.arange(50.0)
    assert find_scale(values, whole=True, choices=Choices(atoms=(7.0,))).atoms == (7.0,)
    with pytest.raises(SchemaError, match="the atom 99 does not occur"):
        find_scale(values, choices=Choices(atoms=(99.0,)))


# --- Oddities -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "whole"),
    [
        ([5.0], True),
        ([5.0], False),
        ([0.1], False),
        ([1.0, 2.0], True),
        ([0.25, 1e300], False),
        ([-1e300, 1e300], False),
        ([1e306, 9e306], False),
        ([-1e16, 3.0, 1e16], False),
        ([1e-300, 2e-300, 5e-300], False),
        ([-0.0, 0.0, -0.0], True),
        ([2.0**53, 2.0**53 - 1], True),
        ([0.0, 3.0, 2.0**53], True),
        ([2.0**52 + i for i in range(20)], True),
        ([np.nan, 3.0, np.nan], True),
        ([1e15 + 0.5, 1e15], False),
        ([1.0, 1.0 + 2**-52], False),
        ([1e-5, 1e5] * 20, False),
        ([-(2.0**32), 0.0, 1.5], False),
    ],
    ids=repr,
)
def test_odd_columns_have_a_sound_scale(values, whole):
    scale = find_scale(values, whole=whole)
    seen = [x for x in values if not np.isnan(x)]
    assert Scale.from_dict(scale.to_dict()) == scale
    assert all(cell_of(scale, x) is not None for x in seen)
    assert sum(scale.share) == pytest.approx(1.0, abs=1e-12)
    assert all(price(scale, x, whole=whole) < 750.0 for x in seen)


def test_whole_numbers_too_far_apart_for_float64_are_refused():
    with pytest.raises(SchemaError, match="too far apart for steps of 1; choose"):
        find_scale([-(2.0**53), 0.0, 2.0**53], whole=True)


def test_numbers_at_the_end_of_float64_are_refused():
    with pytest.raises(SchemaError, match="numbers beyond 1e\\+307 have no scale; choose"):
        find_scale([1.0, -1e308])


def test_a_column_without_a_value_is_refused():
    for values, weights in (([np.nan] * 3, None), ([], None), ([1.0], np.zeros(1))):
        with pytest.raises(SchemaError, match="all values are missing"):
            find_scale(values, weights)


def test_the_share_of_missing_cells_is_counted_with_weights():
    values, weights = [1.0, np.nan, 2.0, np.nan], np.array([1.0, 3.0, 2.0, 0.0])
    assert find_scale(values, weights).missing_share == pytest.approx(0.5)
    assert find_scale(values).missing_share == 0.5


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (Choices(lower=2.0), "the value 1 lies below the lower bound 2"),
        (Choices(upper=2.0), "the value 3 lies above the upper bound 2"),
    ],
)
def test_a_bound_that_values_break_is_refused(choices, said):
    with pytest.raises(SchemaError, match=said):
        find_scale([1.0, 3.0], choices=choices)


def test_many_single_values_leave_room_for_all_cells():
    rng = np.random.default_rng(6)
    heaps = np.repeat(rng.integers(0, 10**6, 300).astype(float), 30)
    values = np.concatenate([heaps, rng.integers(0, 10**6, 20_000).astype(float)])
    scale = find_scale(values, whole=True)
    assert scale.n_cells <= MOST_CELLS
    assert find_scale(np.concatenate([heaps / 7, rng.random(20_000)])).n_cells <= MOST_CELLS


@pytest.mark.parametrize("decimals", [1, 9])
def test_a_bound_that_is_far_away_draws_nothing_towards_it(decimals):
    heights = np.random.default_rng(0).normal(170.0, 8.0, 300).round(decimals)
    scale = find_scale(heights)
    left, right, share = map(np.array, (scale.left, scale.right, scale.share))
    assert scale.lower == 0.0
    assert share[right < heights.min()].sum() > 1e-3
    assert share[left < heights.min() - 60.0].sum() < 1e-6
    assert share.sum() == pytest.approx(1.0)
