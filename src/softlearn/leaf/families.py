"""The leaf families by their id in model files: append only, never reorder."""

from __future__ import annotations

from typing import Final

from softlearn.errors import SoftlearnError
from softlearn.leaf.categorical import CATEGORICAL
from softlearn.leaf.family import Family
from softlearn.leaf.gaussian import GAUSSIAN
from softlearn.leaf.histogram import HISTOGRAM
from softlearn.leaf.scaled import SCALED

FAMILIES: Final[tuple[Family, ...]] = (
    CATEGORICAL,  # 0
    GAUSSIAN,  # 1
    HISTOGRAM,  # 2
    SCALED,  # 3
)


def family_named(name: str) -> Family:
    """Return the family of that name."""
    for family in FAMILIES:
        if family.name == name:
            return family
    known = ", ".join(family.name for family in FAMILIES)
    raise SoftlearnError(f"there is no leaf family {name!r} (known: {known})")
