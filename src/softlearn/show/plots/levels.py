"""The levels of a discrete column that a plot shows: the most common, and the rest as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.show.plots.style import plain
from softlearn.table import Column

LETTERS = 18  # of a level's name


@dataclass(frozen=True, eq=False)
class ShownLevels:
    """Which levels are drawn.

    Attributes
    ----------
    codes
        The levels that are drawn by name, in the column's order.
    names
        Their names, shortened, and "other (n)" if n levels are left.
    n_others
        How many are drawn together.
    """

    codes: Offsets
    names: tuple[str, ...]
    n_others: int

    def gathered(self, share: Floats) -> Floats:
        """Return shares whose last axis runs over all levels as those of the drawn ones."""
        kept = share[..., self.codes]
        if not self.n_others:
            return kept
        rest = np.delete(share, self.codes, axis=-1).sum(axis=-1)
        return np.concatenate([kept, rest[..., None]], axis=-1)


def shown_levels(column: Column, importance: Floats, most: int) -> ShownLevels:
    """Choose the levels of greatest importance (levels,); one place is kept for the others."""
    n = column.n_levels
    if n <= most:
        codes = np.arange(n)
    else:
        codes = np.sort(np.argsort(-importance, kind="stable")[: most - 1])
    names = [plain(str(column.levels[code]), LETTERS) for code in codes.tolist()]
    n_others = n - codes.size
    if n_others:
        names.append(f"other ({n_others})")
    return ShownLevels(codes, tuple(names), n_others)
