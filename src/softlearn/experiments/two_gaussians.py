"""Draw the rows of the paper's illustration."""

from __future__ import annotations

from typing import Final

import numpy as np

from softlearn.arrays import Floats

N_EACH: Final = 1000  # rows of each of the two components
# Weight, mean and deviation of X, mean and deviation of Y.
TRUTH: Final = ((0.5, -0.5, 1.0, -2.0, 0.2), (0.5, 0.5, 1.0, 2.0, 0.2))


def drawn(seed: int) -> tuple[Floats, Floats]:
    """Return X and Y, (rows,) each."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal(mean, deviation, N_EACH) for _, mean, deviation, _, _ in TRUTH])
    y = np.concatenate([rng.normal(mean, deviation, N_EACH) for _, _, _, mean, deviation in TRUTH])
    return x, y
