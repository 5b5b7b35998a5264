"""Seeds along the tree: a node's chance depends on its place alone, never on who works when.

A seed is 64 bits, mixed as in SplitMix64. NumPy's ``SeedSequence`` spawns as well, but takes twenty
times as long, which at thousands of small nodes is a fifth of a fit.
"""

from __future__ import annotations

import numpy as np

from softlearn.arrays import Floats

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio, odd


def first_seed(sequence: np.random.SeedSequence) -> int:
    """Return the seed of the root."""
    return int(sequence.generate_state(1, np.uint64)[0])


def child_seeds(seed: int, n: int) -> list[int]:
    """Return the seeds of a node's children."""
    return [_mixed(seed + place * _STEP) for place in range(1, n + 1)]


def uniforms(seed: int, n: int) -> Floats:
    """Return n numbers in [0, 1) for the node itself; they share nothing with its children's."""
    own = _mixed(~seed & _MASK)
    return np.array([(_mixed(own + i * _STEP) >> 11) * 2.0**-53 for i in range(1, n + 1)])


def _mixed(bits: int) -> int:
    """Return 64 bits, each of which depends on all that came in."""
    bits &= _MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return bits ^ (bits >> 31)
