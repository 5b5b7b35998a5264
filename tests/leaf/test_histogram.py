"""The histogram leaf: who owns an edge, empty bins, and values outside."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.errors import SoftlearnError
from softlearn.leaf import HISTOGRAM, Interval, LeafOptions

EDGES = np.array([0.0, 1.0, 3.0, 4.0])
# densities 0.2, 0.0, 0.8
GAPPED = np.concatenate([EDGES, [0.2, 0.0, 0.8]])


def counts(values):
    values = np.array(values)
    return HISTOGRAM.summarise(values, np.ones(values.size), edges=EDGES).counts


def interval(lo, hi):
    return Interval(np.array(lo), np.array(hi))


def test_a_bin_owns_its_left_edge_and_the_last_one_both():
    assert counts([0.0, 1.0, 3.0, 4.0]).tolist() == [1.0, 1.0, 2.0]
    density = np.exp(HISTOGRAM.log_density(GAPPED, EDGES))
    np.testing.assert_allclose(density, [0.2, 0.0, 0.8, 0.8], rtol=1e-15)


def test_outside_the_edges_there_is_nothing():
    x = np.array([-np.inf, np.nextafter(0.0, -1.0), np.nextafter(4.0, 5.0), 1e300, np.inf])
    assert HISTOGRAM.log_density(GAPPED, x).tolist() == [-np.inf] * 5


@pytest.mark.parametrize("value", [-0.5, 4.5])
def test_values_outside_the_edges_cannot_be_learnt(value):
    with pytest.raises(SoftlearnError, match=f"value {value} lies outside .* 0 to 4"):
        counts([1.0, value])


@pytest.mark.parametrize("edges", [None, [1.0], [0.0, 0.0], [1.0, 0.0], [0.0, np.inf], [0, np.nan]])
def test_edges_that_make_no_bins_are_refused(edges):
    edges = None if edges is None else np.array(edges, dtype=float)
    with pytest.raises(SoftlearnError, match="strictly increasing edges"):
        HISTOGRAM.summarise(np.zeros(1), np.ones(1), edges=edges)


def test_smoothing_is_per_bin_whatever_its_width():
    stats = HISTOGRAM.summarise(np.array([0.5, 3.5]), np.array([1.0, 2.0]), edges=EDGES)
    params = HISTOGRAM.finish(stats, LeafOptions(smoothing=1.0))
    np.testing.assert_allclose(params, [*EDGES, 2 / 6, 1 / 6, 3 / 6], rtol=1e-15)


def test_different_edges_do_not_merge():
    a = HISTOGRAM.summarise(np.zeros(1), np.ones(1), edges=EDGES)
    b = HISTOGRAM.summarise(np.zeros(1), np.ones(1), edges=EDGES[:-1])
    with pytest.raises(SoftlearnError, match="different edges"):
        HISTOGRAM.merge(a, b)


def test_a_tiny_interval_keeps_its_digits():
    region = interval(0.5, 0.5 + 2.0**-50)
    assert HISTOGRAM.log_mass(GAPPED, region) == pytest.approx(np.log(0.2 * 2.0**-50), rel=1e-15)


def test_an_empty_bin_is_never_drawn():
    uniform = np.array([0.0, np.nextafter(0.2, 0.0), 0.2, 1.0 - 2.0**-53])
    x = HISTOGRAM.draw(GAPPED, uniform)
    assert (HISTOGRAM.log_density(GAPPED, x) > -np.inf).all()
    assert ((x < 1.0) | (x >= 3.0)).all()
    x = HISTOGRAM.draw(GAPPED, uniform, interval(0.5, 2.0))
    assert ((x >= 0.5) & (x < 1.0)).all()


def test_a_region_of_the_smallest_mass_is_not_left_by_rounding():
    params = np.concatenate([EDGES, [5e-324, 1.0, 0.0]])
    assert 0.0 <= HISTOGRAM.draw(params, np.array(0.9), interval(0.0, 1.0)) <= 1.0


def test_draws_fill_a_bin_evenly():
    x = HISTOGRAM.draw(GAPPED, np.array([0.1, 0.2, 0.6]))
    np.testing.assert_allclose(x, [0.5, 3.0, 3.5], rtol=1e-14)


def test_the_mode_may_be_a_single_point_of_the_region():
    assert HISTOGRAM.mode(GAPPED) == 3.0
    assert HISTOGRAM.mode(GAPPED, interval(0.5, 3.0)) == 3.0
    assert HISTOGRAM.mode(GAPPED, interval(0.5, 2.9)) == 0.5
    assert HISTOGRAM.mode(GAPPED, interval(4.0, 9.0)) == 4.0


def test_of_equal_bins_the_lowest_is_the_mode():
    params = np.concatenate([EDGES, [0.25, 0.5, 0.25]])
    assert HISTOGRAM.mode(params) == 0.0


def test_a_moment_far_from_its_shift_does_not_cancel():
    params = np.array([1e8, 1e8 + 1.0, 1.0])
    assert HISTOGRAM.moment(params, 4) == pytest.approx((1e8 + 0.5) ** 4, rel=1e-15)
    assert HISTOGRAM.moment(params, 2, 1e8 + 0.5) == pytest.approx(1 / 12, rel=1e-14)


def test_the_support_is_the_hull_of_bins_that_hold_something():
    params = np.concatenate([EDGES, [0.0, 1.0, 0.0]])
    assert tuple(map(float, HISTOGRAM.support(params))) == (1.0, 3.0)
    assert tuple(map(float, HISTOGRAM.support(GAPPED))) == (0.0, 4.0)


def test_free_parameters_are_one_less_than_bins():
    assert HISTOGRAM.parameter_count(GAPPED.size) == 2
