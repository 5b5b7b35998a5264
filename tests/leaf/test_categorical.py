"""The categorical leaf: counts, codes that are no codes, and levels of probability zero."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.errors import SoftlearnError
from softlearn.leaf import CATEGORICAL, LeafOptions, Members


def learnt(values, weights, n_levels, smoothing):
    stats = CATEGORICAL.summarise(np.array(values), np.array(weights), n_levels=n_levels)
    return CATEGORICAL.finish(stats, LeafOptions(smoothing=smoothing))


def test_probabilities_are_smoothed_relative_masses():
    params = learnt([0.0, 2.0, 2.0], [1.0, 0.5, 2.0], n_levels=3, smoothing=0.1)
    np.testing.assert_allclose(params, np.array([1.1, 0.1, 2.6]) / 3.8, rtol=1e-15)


def test_all_ones_data_gives_numbers():
    params = learnt(np.ones(50), np.ones(50), n_levels=2, smoothing=0.0)
    assert params.tolist() == [0.0, 1.0]
    codes = np.array([0.0, 1.0])
    assert CATEGORICAL.log_density(params, codes).tolist() == [-np.inf, 0.0]


def test_smoothing_alone_is_the_uniform_distribution():
    assert learnt([], [], n_levels=4, smoothing=0.1).tolist() == [0.25] * 4


def test_ten_thousand_levels_still_add_to_one():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10_000, 50_000).astype(float)
    params = learnt(codes, rng.random(50_000), n_levels=10_000, smoothing=0.1)
    assert CATEGORICAL.violations(params[None, :], 10_000) == []


@pytest.mark.parametrize("code", [-1.0, 0.5, 3.0, 1e300, np.inf, -np.inf])
def test_what_is_no_level_has_probability_zero(code):
    assert CATEGORICAL.log_density(np.full(3, 1 / 3), np.array([code])).tolist() == [-np.inf]


@pytest.mark.parametrize("code", [-1.0, 0.5, 3.0, 1e300])
def test_what_is_no_level_cannot_be_learnt(code):
    with pytest.raises(SoftlearnError, match="whole numbers from 0 to 2"):
        CATEGORICAL.summarise(np.array([code]), np.ones(1), n_levels=3)


def test_levels_of_probability_zero_are_never_drawn():
    params = np.array([0.0, 0.3, 0.0, 0.7, 0.0])
    edges = np.array([0.0, np.nextafter(0.3, 0.0), 0.3, 1.0 - 2.0**-53])
    assert CATEGORICAL.draw(params, edges).tolist() == [1.0, 1.0, 3.0, 3.0]


def test_the_largest_uniform_stays_in_the_region_whatever_its_mass():
    masses = np.random.default_rng(0).random((1000, 3))
    params = np.column_stack([masses / masses.sum(axis=1)[:, None], np.zeros(1000)])
    allowed = Members(np.array([True, True, False, True]))
    last = CATEGORICAL.draw(params, np.array(1.0 - 2.0**-53), allowed)
    assert (last == 1.0).all()


def test_a_region_of_the_smallest_mass_is_not_left_by_rounding():
    params, ends = np.array([5e-324, 1.0, 0.0]), Members(np.array([True, False, True]))
    assert CATEGORICAL.draw(params, np.array(0.9), ends) == 0.0


def test_the_mode_of_impossible_levels_is_one_of_them():
    impossible = Members(np.array([False, True, True]))
    assert CATEGORICAL.mode(np.array([1.0, 0.0, 0.0]), impossible) == 1.0


def test_the_mode_is_the_lowest_of_equals():
    params = np.array([0.1, 0.4, 0.4, 0.1])
    assert CATEGORICAL.mode(params) == 1.0
    assert CATEGORICAL.mode(params, Members(np.array([True, False, False, True]))) == 0.0


def test_moments_read_the_code_as_a_number():
    params = np.array([0.2, 0.3, 0.5])
    assert CATEGORICAL.moment(params, 1) == pytest.approx(1.3)
    above = Members(np.array([False, True, True]))
    assert CATEGORICAL.moment(params, 2, 0.5, above) == pytest.approx(0.3 * 0.25 + 0.5 * 2.25)


def test_free_parameters_are_one_less_than_levels():
    assert CATEGORICAL.parameter_count(5) == 4
