"""SplitMix64 in whole numbers of Python: the naive twin of the kernel."""

from __future__ import annotations

_BITS, _STEP = 2**64, 0x9E3779B97F4A7C15


def mixed(state: int) -> int:
    """The output of SplitMix64 in a state."""
    state %= _BITS
    bits = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % _BITS
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % _BITS
    return bits ^ (bits >> 31)


def child_seed(seed: int, place: int) -> int:
    """The seed of the child at a place, counted from 1."""
    return mixed(seed + place * _STEP)


def own_seeds(seed: int, n: int) -> list[int]:
    """Seeds for a node itself."""
    own = mixed(seed ^ (_BITS - 1))
    return [mixed(own + (i + 1) * _STEP) for i in range(n)]
