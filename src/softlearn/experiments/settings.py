"""The treatment of numbers: the paper's setting, and ours."""

from __future__ import annotations

from typing import Final

# Smallest deviation of a Gaussian leaf, as a share of its column's. The paper does not mention it;
# the levels of its figures are those of standardised columns whose deviations do not fall below 1,
# as in the code of LearnSPN that it builds on. Ours has no Gaussian leaves but columns with scales.
FLOORS: Final[dict[str, float | None]] = {"paper-like": 1.0, "ours": None}
