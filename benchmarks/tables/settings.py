"""The learners that are compared, by name. To add one, add a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softlearn import CircuitMixture, SoftLearn

EVERYWHERE: dict[str, Any] = {}  # choices of all settings, such as {"missing": "modelled"}


def _one(seed: int, **choices: Any) -> SoftLearn:
    return SoftLearn(random_state=seed, **EVERYWHERE, **choices)


def _several(seed: int, n_circuits: int, **choices: Any) -> CircuitMixture:
    member = SoftLearn(**EVERYWHERE, **choices)
    return CircuitMixture(member, n_estimators=n_circuits, n_jobs=-1, random_state=seed)


# A name of the command line, and what makes the unfitted estimator of a seed.
SETTINGS: dict[str, Callable[[int], Any]] = {
    "default": _one,
    "p0.1": lambda seed: _one(seed, significance=0.1),
    "p0.5-smooth0.001": lambda seed: _one(seed, significance=0.5, smoothing=0.001),
    "mixture8": lambda seed: _several(seed, 8, significance=0.5, smoothing=0.001),
}
