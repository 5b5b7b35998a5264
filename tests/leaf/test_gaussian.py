"""The Gaussian leaf: the paper's deviation, data far from zero, and both tails."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from softlearn.errors import SoftlearnError
from softlearn.leaf import GAUSSIAN, Interval, LeafOptions

STANDARD = np.array([0.0, 1.0])
TINY_FLOOR = LeafOptions(deviation_floor=1e-9)


def learnt(values, weights=None, options=TINY_FLOOR):
    values = np.asarray(values, dtype=float)
    weights = np.ones(values.size) if weights is None else np.asarray(weights)
    return GAUSSIAN.finish(GAUSSIAN.summarise(values, weights), options)


def log_mass(lo, hi, params=STANDARD):
    return GAUSSIAN.log_mass(params, Interval(np.array(lo), np.array(hi)))


def exact_variance(values, weights):
    """The paper's formula in rational arithmetic."""
    x, w = [Fraction(v) for v in values], [Fraction(v) for v in weights]
    total = sum(w)
    mean = sum(a * b for a, b in zip(x, w, strict=True)) / total
    scatter = sum(b * (a - mean) ** 2 for a, b in zip(x, w, strict=True))
    return float(total / (total**2 - sum(b * b for b in w)) * scatter)


def test_the_paper_formula_by_hand():
    # mean (1·0 + 2·3 + 1·6) / 4 = 3; Σw(x − 3)² = 18; (Σw)² − Σw² = 16 − 6 = 10
    mean, deviation = learnt([0.0, 3.0, 6.0], [1.0, 2.0, 1.0])
    assert mean == pytest.approx(3.0, rel=1e-15)
    assert deviation == pytest.approx(np.sqrt(4.0 / 10.0 * 18.0), rel=1e-15)


def test_equal_weights_give_the_usual_sample_deviation():
    values = np.random.default_rng(0).normal(size=50)
    for weight in (1.0, 0.25):
        deviation = learnt(values, np.full(50, weight))[1]
        assert deviation == pytest.approx(values.std(ddof=1), rel=1e-13)


@pytest.mark.parametrize("block", [1, 7, 200])
def test_data_near_1e8_keep_their_deviation_in_any_blocks(block):
    rng = np.random.default_rng(1)
    values, weights = 1e8 + rng.normal(size=200), rng.random(200)
    stats = GAUSSIAN.summarise(values[:0], weights[:0])
    for start in range(0, 200, block):
        rows = slice(start, start + block)
        stats = GAUSSIAN.merge(stats, GAUSSIAN.summarise(values[rows], weights[rows]))
    mean, deviation = GAUSSIAN.finish(stats, TINY_FLOOR)
    assert deviation**2 == pytest.approx(exact_variance(values, weights), rel=1e-12)
    assert mean == pytest.approx(np.average(values, weights=weights), rel=1e-15)


@pytest.mark.parametrize("heavy", [0, 1, 2])
def test_one_row_that_outweighs_all_others_leaves_their_spread(heavy):
    weights = np.array([3e-17, 1e-17, 2e-17])
    weights[heavy] = 1.0
    values = np.array([1.0, 4.0, 2.5])
    deviation = learnt(values, weights)[1]
    assert deviation**2 == pytest.approx(exact_variance(values, weights), rel=1e-12)


@pytest.mark.parametrize(("values", "weights"), [([5.0], [0.3]), ([5.0] * 9, [1.0] * 9)])
def test_no_spread_takes_the_floor(values, weights):
    assert learnt(values, weights, LeafOptions(deviation_floor=0.5)).tolist() == [5.0, 0.5]


def test_values_too_far_apart_are_an_error():
    with pytest.raises(SoftlearnError, match="too far apart"):
        learnt([-1e308, 1e308, 0.0])


def test_log_density_matches_scipy():
    x = np.array([-40.0, -1.0, 0.0, 2.5, 1e5])
    np.testing.assert_allclose(
        GAUSSIAN.log_density(np.array([1.5, 2.0]), x), norm.logpdf(x, 1.5, 2.0), rtol=1e-14
    )


def test_log_density_at_the_end_of_the_world_is_minus_infinity():
    x = np.array([-np.inf, np.inf, 1e300, -1.7e308])
    assert GAUSSIAN.log_density(np.array([1e308, 1e-3]), x).tolist() == [-np.inf] * 4


@pytest.mark.parametrize("far", [5.0, 30.0, 1e3, 1e8])
def test_half_lines_match_scipy_in_both_tails(far):
    assert log_mass(far, np.inf) == pytest.approx(norm.logsf(far), rel=1e-14)
    assert log_mass(-np.inf, -far) == pytest.approx(norm.logcdf(-far), rel=1e-14)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_interval_thirty_deviations_out_has_its_mass(side):
    expected = norm.logsf(30.0) + np.log1p(-np.exp(norm.logsf(31.0) - norm.logsf(30.0)))
    assert log_mass(*sorted([30.0 * side, 31.0 * side])) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("start", [0.0, -1e-9, 3.0, 30.0, -30.0])
def test_a_narrow_interval_is_density_times_width(start):
    width = 2.0**-30
    expected = norm.logpdf(start + 0.5 * width) + np.log(width)
    assert log_mass(start, start + width) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("start", [0.3, 2.0, 20.0])
def test_narrow_and_wide_formulas_meet(start):
    """Pieces around the width where one formula hands over to the other add to the whole."""
    for width in (0.9 / (1.0 + start), 1.1 / (1.0 + start)):
        pieces = [log_mass(start + k * width, start + (k + 1) * width) for k in range(3)]
        whole = log_mass(start, start + 3 * width)
        assert np.logaddexp.reduce(pieces) == pytest.approx(whole, rel=1e-12)


def test_a_region_that_misses_little_keeps_what_it_misses():
    assert log_mass(-np.inf, 12.0) == pytest.approx(-norm.sf(12.0), rel=1e-12, abs=0.0)


def test_no_region_lies_beyond_infinity():
    assert log_mass(np.inf, np.inf) == -np.inf
    assert log_mass(1.0, 1.0) == -np.inf
    assert log_mass(-np.inf, np.inf) == 0.0
    assert log_mass(1e300, np.inf) == -np.inf


@pytest.mark.parametrize(
    ("lo", "hi"), [(10.0, np.inf), (-np.inf, -35.0), (30.0, 31.0), (50.0, np.inf)]
)
def test_draws_in_far_tails_invert_the_truncated_distribution(lo, hi):
    uniform = np.array([0.0, 2.0**-53, 0.01, 0.5, 0.99, 1.0 - 2.0**-53])
    x = GAUSSIAN.draw(STANDARD, uniform, Interval(np.array(lo), np.array(hi)))
    assert np.isfinite(x).all()
    assert ((lo <= x) & (x <= hi)).all()
    np.testing.assert_allclose(x[2:5], truncnorm.ppf(uniform[2:5], lo, hi), rtol=1e-11)
    log_share = log_mass(np.full(3, lo), x[2:5]) - log_mass(lo, hi)
    np.testing.assert_allclose(np.exp(log_share), uniform[2:5], rtol=1e-9)


@pytest.mark.parametrize(
    ("lo", "hi"), [(1e9, np.inf), (-np.inf, -1e200), (4.0, 4.0), (1e200, 1e201), (-1e308, 1e308)]
)
def test_draws_stay_finite_and_inside_at_any_distance(lo, hi):
    uniform = np.array([0.0, 0.5, 1.0 - 2.0**-53])
    x = GAUSSIAN.draw(STANDARD, uniform, Interval(np.array(lo), np.array(hi)))
    assert np.isfinite(x).all()
    assert ((lo <= x) & (x <= hi)).all()


def test_draws_from_the_whole_line_are_symmetric_and_finite():
    ends = GAUSSIAN.draw(STANDARD, np.array([0.0, 1.0 - 2.0**-53]))
    assert ends[0] == pytest.approx(norm.ppf(2.0**-54), rel=1e-12)
    assert ends[1] == pytest.approx(norm.isf(2.0**-53), rel=1e-12)


def test_the_mode_is_the_nearest_point():
    lo, hi = np.array([-1.0, 2.0, -np.inf]), np.array([1.0, np.inf, -3.0])
    assert GAUSSIAN.mode(STANDARD, Interval(lo, hi)).tolist() == [0.0, 2.0, -3.0]


def test_moments_of_the_whole_line_are_the_textbook_ones():
    mean, deviation = 3.0, 2.0
    params = np.array([mean, deviation])
    central = [float(GAUSSIAN.moment(params, k, mean)) for k in range(7)]
    assert central == [1.0, 0.0, 4.0, 0.0, 48.0, 0.0, 960.0]
    assert GAUSSIAN.moment(params, 4) == mean**4 + 6 * mean**2 * 4 + 48


@pytest.mark.parametrize("start", [0.0, 10.0, 35.0])
def test_moments_about_the_edge_of_a_tail_keep_their_digits(start):
    """Against a fine trapezoid; the textbook recurrence is off by 0.2 % at 35 deviations."""
    tail = Interval(np.array(start), np.array(np.inf))
    mass = np.exp(log_mass(start, np.inf))
    got = np.array([float(GAUSSIAN.moment(STANDARD, k, start, tail)) for k in range(5)]) / mass
    t = np.linspace(0.0, 60.0 / (1.0 + start), 400_001)
    decay = np.exp(-t * (start + 0.5 * t))
    expected = [np.trapezoid(t**k * decay, t) / np.trapezoid(decay, t) for k in range(5)]
    np.testing.assert_allclose(got, expected, rtol=1e-8)


@pytest.mark.parametrize(("lo", "hi"), [(-1.0, 2.0), (-8.0, -5.0), (0.5, np.inf), (-np.inf, 1.0)])
def test_moments_inside_match_scipy(lo, hi):
    region = Interval(np.array(lo), np.array(hi))
    mass = np.exp(log_mass(lo, hi))
    for order in (1, 2, 3, 4):
        expected = truncnorm.moment(order, lo, hi) * mass
        assert GAUSSIAN.moment(STANDARD, order, 0.0, region) == pytest.approx(
            expected, rel=1e-8, abs=0.0
        )


def test_a_region_that_is_everything_changes_no_moment():
    params, everything = np.array([3.0, 0.5]), Interval(np.array(-np.inf), np.array(np.inf))
    for order in range(12):
        whole = GAUSSIAN.moment(params, order, 1.0)
        assert GAUSSIAN.moment(params, order, 1.0, everything) == pytest.approx(whole, rel=1e-13)


@pytest.mark.parametrize(("lo", "hi"), [(np.inf, np.inf), (1e300, np.inf), (-np.inf, -1e300)])
def test_moments_at_infinity_are_zero(lo, hi):
    region = Interval(np.array(lo), np.array(hi))
    assert GAUSSIAN.moment(STANDARD, 2, 0.0, region) == 0.0


def test_free_parameters_are_mean_and_deviation():
    assert GAUSSIAN.parameter_count(2) == 2
