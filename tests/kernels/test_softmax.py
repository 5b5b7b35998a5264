"""Exponentials and logarithms in single precision, against NumPy's in double."""

import numpy as np
import pytest

from kernels.kernel_sources import kernel_sources
from softlearn.kernels.cluster.softmax import exponentials, logarithms
from softlearn.kernels.compile import kernel

ERROR = 2e-7  # what the module promises


def wrappers(sources):
    """The inner functions with a doorway to Python; `sources` keeps their cache honest."""

    @kernel
    def exponentials_of(x, out, bits, n):
        assert sources
        exponentials(x, out, bits, n)

    @kernel
    def logarithms_of(x, bits, out, n):
        assert sources
        logarithms(x, bits, out, n)

    return exponentials_of, logarithms_of


exponentials_of, logarithms_of = wrappers(kernel_sources())


def exp(x):
    x = np.ascontiguousarray(x, np.float32)
    out = np.empty(x.size, np.float32)
    exponentials_of(x, out, out.view(np.int32), x.size)
    return out.astype(float)


def log(x):
    x = np.array(x, np.float32)
    out = np.empty(x.size, np.float32)
    logarithms_of(x, x.view(np.int32), out, x.size)
    return out.astype(float)


def numbers_between(low, high, n=400_000):
    """Single-precision numbers, evenly and by chance."""
    chance = np.random.default_rng(0).uniform(low, high, n)
    return np.concatenate([np.linspace(low, high, n), chance, [low, high]]).astype(np.float32)


def normal_numbers():
    """Some of every exponent, and all that are next to a power of two or its square root."""
    rng = np.random.default_rng(1)
    power = np.arange(-126, 128)
    mantissa = np.concatenate([[1.0, np.sqrt(2.0), np.sqrt(0.5) * 2], 1.0 + rng.random(300)])
    x = (2.0 ** power[:, None] * mantissa).astype(np.float32).ravel()
    x = np.concatenate([x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(1.0))])
    tiny, huge = np.finfo(np.float32).tiny, np.finfo(np.float32).max
    return np.concatenate([x[(x >= tiny) & (x <= huge)], [tiny, huge]])


@pytest.mark.parametrize("lowest", [-87.0, -10.0, -1.0, -0.01])
def test_exponentials_are_those_of_numpy(lowest):
    x = numbers_between(lowest, 0.0)
    assert np.abs(exp(x) / np.exp(x.astype(float)) - 1.0).max() < ERROR


def test_the_exponential_of_zero_is_one():
    assert exp([0.0, -0.0]).tolist() == [1.0, 1.0]


def test_exponentials_never_fall_when_the_number_rises():
    """As far as their error allows."""
    found = exp(np.sort(numbers_between(-87.0, 0.0)))
    assert (np.diff(found) >= -ERROR * found[1:]).all()


def test_far_below_the_exponential_is_next_to_nothing():
    found = exp([-87.0, -88.0, -1e3, -(2.0**100), -np.inf])
    assert (found > 0.0).all()
    assert (found < 2e-38).all()


def test_logarithms_are_those_of_numpy():
    """Around one, where they vanish, the error is that of the number."""
    x = normal_numbers()
    expected = np.log(x.astype(float))
    assert (np.abs(log(x) - expected) <= ERROR * np.maximum(np.abs(expected), 1.0)).all()


def test_logarithms_around_one_are_exact_in_relation():
    x = numbers_between(0.75, 1.4)
    x = x[x != 1.0]
    assert np.abs(log(x) / np.log(x.astype(float)) - 1.0).max() < 2 * ERROR


def test_the_logarithm_of_one_is_zero():
    assert log([1.0]).tolist() == [0.0]


def test_only_the_first_numbers_are_touched():
    out = np.full(4, 7.0, np.float32)
    exponentials_of(np.zeros(4, np.float32), out, out.view(np.int32), 2)
    assert out.tolist() == [1.0, 1.0, 7.0, 7.0]
    x = np.full(4, 2.0, np.float32)
    logarithms_of(x, x.view(np.int32), out, 1)
    assert out.tolist() == pytest.approx([np.log(2.0), 1.0, 7.0, 7.0])
    assert x.tolist() == [1.0, 2.0, 2.0, 2.0]
