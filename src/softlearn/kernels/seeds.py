"""SplitMix64: random numbers that depend on a position only, not on the order of work."""

from __future__ import annotations

import numpy as np

from softlearn.arrays import States
from softlearn.kernels.compile import allocating_kernel, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, odd
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53


@kernel
def mixed(state: np.uint64) -> np.uint64:
    """Return 64 bits, each of which depends on all bits of the state."""
    bits = (state ^ (state >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return bits ^ (bits >> np.uint64(31))


@kernel
def uniform(state: np.uint64) -> float:
    """Return the number in [0, 1) that belongs to a state."""
    return np.float64(mixed(state) >> np.uint64(11)) * _UNIT


@kernel
def child_seed(seed: np.uint64, place: int) -> np.uint64:
    """Return the seed of the child at a place, counted from 1."""
    return mixed(seed + np.uint64(place) * STEP)


@allocating_kernel
def own_seeds(seed: np.uint64, n: int) -> States:
    """Return n seeds for a node itself; they share nothing with its children's."""
    found = np.empty(n, np.uint64)
    own = mixed(~seed)
    for i in range(n):
        found[i] = mixed(own + np.uint64(i + 1) * STEP)
    return found
