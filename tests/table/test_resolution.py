"""The grid of numbers: found where there is one, and never where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softlearn.table.resolution import EVERY_NUMBER, Grid, find_grid

many = settings(max_examples=100, deadline=None)


def distinct(values):
    return np.unique(np.asarray(values, dtype=float))


@many
@given(st.lists(st.integers(-(10**7), 10**7), min_size=1, max_size=30), st.integers(0, 4))
def test_numbers_written_with_decimals_lie_on_their_grid(counts, decimals):
    values = distinct([count / 10**decimals for count in counts])
    grid = find_grid(values, whole=False)
    assert grid.step > 0.0
    np.testing.assert_array_equal(grid.at(grid.number(values)), values)
    # A coarser grid may hold them, but none that is finer than what was written is needed.
    assert grid.step * 10**decimals == pytest.approx(round(grid.step * 10**decimals), abs=1e-6) or (
        grid.step > 10.0**-decimals
    )


@many
@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=30))
def test_whole_numbers_always_have_a_whole_step(counts):
    grid = find_grid(distinct(counts), whole=True)
    assert grid.step == round(grid.step) >= 1.0


@many
@given(st.integers(2, 50), st.lists(st.integers(-500, 500), min_size=8, max_size=30, unique=True))
def test_multiples_are_a_habit_when_many_values_keep_it(unit, counts):
    gaps = np.gcd.reduce(np.abs(np.array(counts) - counts[0]))
    grid = find_grid(distinct(np.array(counts) * unit), whole=True)
    assert (grid.step, grid.unit) == (1.0, unit * gaps)  # other whole numbers stay possible


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_few_multiples_may_be_chance(n):
    assert find_grid(distinct(10.0 * np.arange(n)), whole=True).step == 1.0


def test_numbers_of_many_digits_lie_on_no_grid():
    assert find_grid(distinct([0.1234567, 0.2]), whole=False) == EVERY_NUMBER
    assert find_grid(distinct(np.random.default_rng(0).random(9)), whole=False) == EVERY_NUMBER
    assert find_grid(distinct([1e300, 2.5]), whole=False) == EVERY_NUMBER


def test_rounding_is_forgiven():
    values = distinct([0.1 * i for i in range(40)])
    assert 0.1 * 3 != 0.3
    assert find_grid(values, whole=False).step == pytest.approx(0.1)


def test_digits_that_others_cut_off_are_forgiven():
    column = np.sort([*np.arange(20) / 10_000.0, 0.0139999999999999, 0.0289999999999999])
    assert find_grid(column, whole=False).step == pytest.approx(0.0001)


def test_no_value_has_a_grid_of_ones_if_it_should_be_whole():
    assert find_grid(distinct([0.5, 2.0**60]), whole=True).step == 1.0


@many
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_a_grid_writes_its_values_as_people_do(origin, number):
    grid = Grid(origin / 100, 0.01)
    assert grid.at(np.array([float(number)]))[0] == (origin + number) / 100
