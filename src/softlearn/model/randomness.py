"""Random generators from the caller's ``random_state``, never from a global state."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from softlearn.errors import SoftlearnError

RandomState: TypeAlias = int | np.random.Generator | None


def generator(random_state: RandomState) -> np.random.Generator:
    """Return the caller's generator, or a new one from a seed."""
    if random_state is None or isinstance(random_state, int | np.integer | np.random.Generator):
        return np.random.default_rng(random_state)
    raise SoftlearnError(
        "random_state is a whole number, a numpy.random.Generator or None, "
        f"not {type(random_state).__name__}"
    )
