"""How likely each level of a discrete column is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from softlearn.arrays import Floats
from softlearn.markup import bar, table
from softlearn.table import Column
from softlearn.table.column import Level

_BAR_WIDTH = 32  # letters of a bar of probability one
_SHOWN = 12  # levels that are printed; the rest are added up
_EIGHTHS = " ▏▎▍▌▋▊▉"


class LevelDistribution(Mapping[Level, float]):
    """The probability of each level, as a mapping in the column's order; it prints as bars.

    Attributes
    ----------
    column
        The column's name.
    """

    def __init__(self, column: Column, probabilities: Floats) -> None:
        self.column = column.name
        self._of_level: dict[Level, float] = dict(
            zip(column.levels, probabilities.tolist(), strict=True)
        )

    @property
    def mode(self) -> Level:
        """The most probable level; the first of equals."""
        return max(self._of_level, key=self._of_level.__getitem__)

    @property
    def entropy(self) -> float:
        """How open the question is, in nats; 0 if one level is certain."""
        return 0.0 - sum(p * math.log(p) for p in self._of_level.values() if p > 0.0)

    def __getitem__(self, level: Level) -> float:
        return self._of_level[level]

    def __iter__(self) -> Iterator[Level]:
        return iter(self._of_level)

    def __len__(self) -> int:
        return len(self._of_level)

    def _shown(self) -> list[tuple[str, float]]:
        """Return the levels to print: all of a few, else the most probable, and the rest in one."""
        rows = [(str(level), p) for level, p in self.items()]
        if len(rows) > _SHOWN:
            rows.sort(key=lambda row: -row[1])
            rest = rows[_SHOWN:]
            rows = [*rows[:_SHOWN], (f"({len(rest)} more)", sum(p for _, p in rest))]
        return rows

    def _repr_html_(self) -> str:
        rows = [(name, f"{p:.4f}", bar(p)) for name, p in self._shown()]
        return table((self.column, "probability", ""), rows)

    def __repr__(self) -> str:
        rows = self._shown()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {p:6.4f}  {_bar(p)}".rstrip() for name, p in rows)


def _bar(probability: float) -> str:
    """Return a bar that is exact to an eighth of a letter."""
    whole, eighths = divmod(round(probability * _BAR_WIDTH * 8), 8)
    return "█" * whole + _EIGHTHS[eighths].strip()
