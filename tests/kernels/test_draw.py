"""The random numbers of the draws: SplitMix64, bit for bit, and each draw its own stream."""

import numpy as np
import pytest

from softlearn.kernels import seeds


def uniform(states, i):
    states[i : i + 1] += seeds.STEP
    return seeds.uniform(states[i])


MASK = (1 << 64) - 1


def splitmix64(state):
    """Return the next state and the next 64 random bits (Steele, Lea and Flood, 2014)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


@pytest.mark.parametrize("seed", [0, 1, 1234567, 2**63, 2**64 - 1])
def test_the_stream_is_splitmix64(seed):
    states, state = np.array([seed], dtype=np.uint64), seed
    for _ in range(100):
        state, bits = splitmix64(state)
        assert uniform(states, 0) == (bits >> 11) * 2.0**-53
        assert int(states[0]) == state


def test_the_naive_twin_gives_the_published_numbers():
    """The first outputs for seed 1234567, as in the reference implementation."""
    state, found = 1234567, []
    for _ in range(3):
        state, bits = splitmix64(state)
        found.append(bits)
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_streams_do_not_disturb_each_other():
    states = np.array([5, 6, 7], dtype=np.uint64)
    uniform(states, 1)
    assert states[0] == 5
    assert states[2] == 7


def test_numbers_lie_in_the_half_open_unit_interval():
    states = np.random.default_rng(0).integers(0, 2**64, 10_000, dtype=np.uint64)
    drawn = np.array([uniform(states, i) for i in range(states.size)])
    assert 0.0 <= drawn.min() < drawn.max() < 1.0
    # The mean of n uniforms is normal with deviation sqrt(1/12n): six of them, risk 2e-9.
    assert abs(drawn.mean() - 0.5) < 6 * np.sqrt(1 / 12 / drawn.size)
