"""The arithmetic of slots: scaled numbers against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

import zoo
from softlearn.kernels.circuit import scaled, upward
from softlearn.kernels.circuit.program import SMALLEST_WEIGHT, Scratch, Values
from softlearn.query import log_likelihood

# Mantissas as checks leave them, exponents far and near, zero too.
mantissas = st.just(0.0) | st.tuples(st.floats(1.0, 1.99), st.integers(-399, 399)).map(
    lambda pair: pair[0] * 2.0 ** pair[1]
)
exponents = st.none() | st.integers(-3000, 3000)
weights = st.sampled_from([0.0, 1.0, 0.5, 1e-5, 2.0**-599, 1e-200, 1e-300, 5e-324])
numbers = st.tuples(mantissas, exponents)
some = settings(max_examples=300, deadline=None)


def slots(*columns):
    """Three slots of one row: two operands, and one to write to."""
    mantissa = np.array([[m] for m, _ in columns] + [[np.nan]])
    exponent = np.array([[float(e or 0)] for _, e in columns] + [[np.nan]])
    scaled = np.array([e is not None for _, e in columns] + [0], dtype=np.uint8)
    return Values(mantissa, mantissa.view(np.int64), exponent, scaled)


def scratch():
    return Scratch(np.empty((2, 1)), np.empty(1))


# Kernels call these, Python cannot.
@njit
def _multiply(mantissa, to, a, b):
    upward._multiply(mantissa, to, a, b)


@njit
def _add_exponents(exponent, scaled, to, a, b):
    upward._add_exponents(exponent, scaled, to, a, b)


@njit
def _combine(mantissa, to, a, b, weight_a, weight_b):
    upward._combine(mantissa, to, a, b, weight_a, weight_b)


@njit
def _combine_scaled(values, to, a, b, weights, scratch):
    scaled.combine_scaled(values, to, a, b, weights, scratch)


@njit
def _check(values, slot):
    scaled.check_slots(values, slot, 1)


def multiply(values, to, a, b):
    _multiply(values.mantissa, to, a, b)
    _add_exponents(values.exponent, values.scaled, to, a, b)


def combine(values, to, a, b, weight_a, weight_b):
    """Take the path that `advance` takes."""
    tiny = any(0.0 < weight < SMALLEST_WEIGHT for weight in (weight_a, weight_b))
    if values.scaled[a] or values.scaled[b] or tiny:
        _combine_scaled(values, to, a, b, (weight_a, weight_b), scratch())
    else:
        _combine(values.mantissa, to, a, b, weight_a, weight_b)
        values.scaled[to] = 0


def exact(values, slot):
    """The value of a slot as a fraction."""
    power = int(values.exponent[slot, 0]) if values.scaled[slot] else 0
    return Fraction(float(values.mantissa[slot, 0])) * Fraction(2) ** power


def must_agree(found, expected):
    assert (found == 0) == (expected == 0)
    assert expected == 0 or abs(found / expected - 1) < Fraction(1, 10**15)


@some
@given(numbers, numbers)
def test_multiply(a, b):
    values = slots(a, b)
    expected = exact(values, 0) * exact(values, 1)
    multiply(values, 2, 0, 1)
    must_agree(exact(values, 2), expected)


@some
@given(numbers, numbers, weights, weights)
def test_combine(a, b, weight_a, weight_b):
    values = slots(a, b)
    expected = Fraction(weight_a) * exact(values, 0) + Fraction(weight_b) * exact(values, 1)
    combine(values, 2, 0, 1, weight_a, weight_b)
    must_agree(exact(values, 2), expected)


@some
@given(numbers, numbers, numbers, weights, weights)
@example((2.0**-396, None), (0.0, None), (2.0**396, -3000), 2.0**-599, 1.0)
@example((2.0**-396, None), (0.0, None), (1.0, -1010), 2.0**-599, 1.0)
def test_combine_goes_on_from_an_unchecked_value(a, b, c, weight_a, weight_b):
    """Two children may leave 2**-1000 without an exponent; the third may have any exponent."""
    values = slots(a, b, c)
    expected = Fraction(weight_a) * exact(values, 0) + Fraction(weight_b) * exact(values, 1)
    expected += exact(values, 2)
    combine(values, 0, 0, 1, weight_a, weight_b)
    combine(values, 0, 0, 2, 1.0, 1.0)
    must_agree(exact(values, 0), expected)


@pytest.mark.parametrize("to", [0, 1])
def test_results_may_overwrite_an_operand(to):
    for instruction in (
        lambda v, to: multiply(v, to, 0, 1),
        lambda v, to: combine(v, to, 0, 1, 0.25, 0.75),
    ):
        for a, b in [((3.0, None), (5.0, 700)), ((3.0, -700), (5.0, None)), ((2.0, 1), (7.0, 3))]:
            apart, over = slots(a, b), slots(a, b)
            instruction(apart, 2)
            instruction(over, to)
            assert exact(over, to) == exact(apart, 2)


@some
@given(st.tuples(st.floats(1.0, 1.99), st.integers(-1000, 1000)), exponents, st.booleans())
def test_a_check_keeps_the_value_and_brings_the_mantissa_home(parts, exponent, negative):
    mantissa = parts[0] * 2.0 ** parts[1] * (-1 if negative else 1)
    values = slots((mantissa, exponent))
    before = exact(values, 0)
    _check(values, 0)
    assert exact(values, 0) == before
    assert 2.0**-400 <= abs(values.mantissa[0, 0]) < 2.0**401


def test_a_check_leaves_zero_alone_beside_tiny_rows():
    mantissa = np.array([[0.0, 2.0**-900, 1.0]])
    values = Values(
        mantissa, mantissa.view(np.int64), np.full((1, 3), np.nan), np.zeros(1, np.uint8)
    )
    _check(values, 0)
    np.testing.assert_array_equal(mantissa, [[0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(values.exponent, [[0.0, -900.0, 0.0]])


def test_a_check_of_safe_rows_adds_no_exponents():
    values = slots((2.0**-400, None))
    _check(values, 0)
    assert not values.scaled[0]


@pytest.mark.jit_off
def test_the_logarithm_of_nothing_is_minus_infinity():
    circuit = zoo.xor()
    both = zoo.evidence(circuit, a=1, b=1)
    assert log_likelihood(circuit, both).tolist() == [-np.inf]
