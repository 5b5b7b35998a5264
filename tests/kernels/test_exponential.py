"""The exponential of the kernels, against decimal arithmetic over its whole range."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numba import njit

from softlearn.kernels.circuit.exponential import multiply_exp
from softlearn.kernels.circuit.program import TILE_RANGE

NEAR = TILE_RANGE * np.log(2.0)
# Two roundings of the factor and one of the product; the polynomial itself is better.
MOST_ULPS = 3.0


@njit
def _multiply_exp(mantissa, exponent, scaled, logs):
    multiply_exp(mantissa, exponent, scaled, 0, logs)


def scaled_exp(logs):
    """Mantissa, exponent and whether the exponent counts, of e**logs."""
    mantissa, exponent = np.ones((1, logs.size)), np.full((1, logs.size), np.nan)
    scaled = np.zeros(1, np.uint8)
    _multiply_exp(mantissa, exponent, scaled, logs)
    return mantissa[0], exponent[0], bool(scaled[0])


def ulps_off(mantissa, exponent, logs):
    """How far each number is from e**log, in units of the last place."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**17, -(10**17)
        for m, e, log in zip(mantissa, exponent, logs, strict=True):
            found = Decimal(float(m)) * Decimal(2) ** Decimal(int(e))
            yield float(abs(found / Decimal(float(log)).exp() - 1)) / 2.0**-52


def test_near_zero_it_is_plain_and_right_to_the_last_places():
    halves = (np.arange(-2 * TILE_RANGE, 2 * TILE_RANGE) / 2.0) * np.log(2.0)  # where bits change
    logs = np.concatenate([np.linspace(-NEAR, NEAR, 4001), halves, np.nextafter(halves, 0.0)])
    mantissa, _, scaled = scaled_exp(logs)
    assert not scaled
    assert max(ulps_off(mantissa, np.zeros(logs.size), logs)) < MOST_ULPS


@pytest.mark.parametrize("furthest", [250.0, 800.0, 1e4, 1e6])
def test_further_out_the_size_goes_to_the_exponent(furthest):
    bits = np.round(np.linspace(-furthest, furthest, 101) / np.log(2.0))
    logs = np.concatenate([np.linspace(-furthest, furthest, 501), (bits + 0.5) * np.log(2.0)])
    mantissa, exponent, scaled = scaled_exp(logs)
    assert scaled
    assert ((mantissa > 0.7) & (mantissa < 1.42)).all()
    assert max(ulps_off(mantissa, exponent, logs)) < MOST_ULPS


def test_beyond_all_digits_the_mantissa_stays_small():
    logs = np.array([-1e17, -1e200, -1e299])
    mantissa, exponent, _ = scaled_exp(logs)
    assert ((mantissa > 0.7) & (mantissa < 1.42)).all()
    np.testing.assert_allclose(exponent, logs / np.log(2.0), rtol=1e-15)


def test_the_logarithm_of_zero_gives_zero_and_leaves_its_neighbours_alone():
    mantissa, exponent, _ = scaled_exp(np.array([-np.inf, 0.0, -1e3]))
    assert mantissa[0] == 0.0
    assert mantissa[1] * 2.0 ** exponent[1] == 1.0
    assert max(ulps_off(mantissa[2:], exponent[2:], [-1e3])) < MOST_ULPS
