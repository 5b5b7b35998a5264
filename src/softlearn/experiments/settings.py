"""How narrow a Gaussian leaf may become: the paper's setting, and ours."""

from __future__ import annotations

from typing import Final

from softlearn.numeric_policy import RELATIVE_DEVIATION_FLOOR

# Smallest deviation of a leaf, as a share of its column's. The paper does not speak of it; the
# levels of its figures are those of standardised columns whose deviations do not fall below 1,
# as in the code of LearnSPN that it builds on.
FLOORS: Final = {"paper-like": 1.0, "ours": RELATIVE_DEVIATION_FLOOR}
