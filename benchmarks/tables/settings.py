"""The learners that are compared, by name. To add one, add a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softlearn import AutoCircuit, CircuitMixture, SoftLearn

# Choices of all settings: the missing cells of adult are modelled, and drawn again.
EVERYWHERE: dict[str, Any] = {"missing": "modelled"}


def _one(seed: int, **choices: Any) -> SoftLearn:
    return SoftLearn(random_state=seed, **EVERYWHERE, **choices)


def _several(seed: int, n_circuits: int, **choices: Any) -> CircuitMixture:
    member = SoftLearn(**EVERYWHERE, **choices)
    return CircuitMixture(member, n_estimators=n_circuits, n_jobs=-1, random_state=seed)


def _auto(seed: int, goal: str) -> AutoCircuit:
    return AutoCircuit(_AUTO_SECONDS, goal=goal, random_state=seed, n_jobs=1, **EVERYWHERE)


# What the first version took by default, on today's leaves.
_FIRST = {"significance": 0.01, "n_clusters": 2, "smoothing": 0.1, "smoothing_per": "level"}
_DEEP = {"significance": 0.3, "n_clusters": 6, "smoothing": 0.01}

_AUTO_SECONDS = 60.0

# A name of the command line, and what makes the unfitted estimator of a seed.
SETTINGS: dict[str, Callable[[int], Any]] = {
    "default": _one,
    "first-version-settings": lambda seed: _one(seed, **_FIRST),
    "four-clusters": lambda seed: _one(seed, n_clusters=4),
    "deep": lambda seed: _one(seed, **_DEEP),
    "auto": lambda seed: _auto(seed, "likelihood"),
    "auto-samples": lambda seed: _auto(seed, "samples"),
    "mixture8": lambda seed: _several(seed, 8),
    "mixture8-deep": lambda seed: _several(seed, 8, **_DEEP),
}
