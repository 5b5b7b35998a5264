"""How a group of rows differs from all rows: levels that are more common, higher numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.query.below import cell_shares, mean_and_deviation, reach
from softlearn.show.cells import Cells
from softlearn.show.wording import (
    deviation_text,
    level_text,
    moved,
    share_text,
    shortened,
    value_text,
)
from softlearn.table import Column, decode_value
from softlearn.table.column import Level

# Nats; a coin of 0.57 against a fair one. Smaller differences are not mentioned.
_WORTH_A_WORD = 0.01
_CLEARLY = 0.2  # standard deviations of the whole that make a mean higher or lower
_LEVEL_LETTERS = 28


@dataclass(frozen=True, slots=True)
class LevelShift:
    """A discrete column that differs: the level that gained most, and the one that lost most.

    Attributes
    ----------
    column, level, share, overall
        The column, the level, its probability among these rows, and among all.
    fewer, fewer_share, fewer_overall
        The same of the level that lost most; None if there are two levels, which say the same.
    divergence
        How much the column differs, in nats.
    """

    column: str
    level: Level
    share: float
    overall: float
    fewer: Level | None
    fewer_share: float
    fewer_overall: float
    divergence: float

    @property
    def short(self) -> str:
        """The difference in a few letters."""
        return f"{_level(self.column, self.level)} {share_text(self.share)}"

    @property
    def words(self) -> str:
        """The difference beside the whole."""
        text = f"{self.short} (overall {share_text(self.overall)})"
        if self.fewer is None:
            return text
        name = shortened(str(self.fewer), _LEVEL_LETTERS)
        fewer = f"{name} {share_text(self.fewer_share)}"
        return f"{text}, {fewer} ({share_text(self.fewer_overall)})"


@dataclass(frozen=True, slots=True)
class NumberShift:
    """A column of numbers or times that differs, in the units of the table.

    Attributes
    ----------
    column, mean, deviation
        The column, its mean among these rows and its standard deviation; a mean of times is ISO
        text, their deviation is in seconds.
    overall_mean, overall_deviation
        The same among all rows.
    direction
        Whether the mean is higher or lower, or about the same with another shape.
    divergence
        How much the column differs, in nats, after cutting it into cells.
    short, words
        The difference as text.
    """

    column: str
    mean: float | str
    deviation: float
    overall_mean: float | str
    overall_deviation: float
    direction: Literal["higher", "lower", "other shape"]
    divergence: float
    short: str
    words: str


Shift: TypeAlias = LevelShift | NumberShift


class Parts:
    """Parts of the rows, each made by some nodes of the circuit, to be compared.

    Parameters
    ----------
    circuit, twin, cells
        The circuit, the one over cells, and how its columns are cut.
    starts
        The nodes that make each part.
    """

    def __init__(
        self, circuit: Circuit, twin: Circuit, cells: list[Cells], starts: Sequence[Sequence[int]]
    ) -> None:
        self._circuit, self._cells = circuit, cells
        self._flow = reach(circuit, starts)
        self._shares = cell_shares(twin, self._flow)

    def shifts(self, part: int, whole: int, most: int) -> list[Shift]:
        """Return the columns in which a part differs most from another that contains it."""
        by_column = [_divergence(share[part], share[whole]) for share in self._shares]
        order = np.argsort(by_column, kind="stable")[::-1][:most].tolist()
        shown = [position for position in order if by_column[position] > _WORTH_A_WORD]
        return [self._shift(position, part, whole, by_column[position]) for position in shown]

    def n_below(self, part: int) -> int:
        """Return how many nodes of the circuit make a part."""
        return int(np.count_nonzero(self._flow[:, part]))

    def summary(self, part: int, position: int) -> str:
        """Return a column of a part in a few letters: its most common level, or its mean."""
        column = self._cells[position].column
        if column.is_discrete:
            share = self._shares[position][part]
            code = int(np.argmax(share))
            return f"{_level(column.name, column.levels[code])} {share_text(float(share[code]))}"
        mean, spread = mean_and_deviation(self._circuit, self._flow[:, [part]], position)
        return f"{column.name} {_spoken(column, float(mean[0]), float(spread[0]))}"

    def _shift(self, position: int, part: int, whole: int, divergence: float) -> Shift:
        column = self._cells[position].column
        if column.is_discrete:
            share = self._shares[position]
            return _level_shift(column, share[part], share[whole], divergence)
        flow = self._flow[:, [part, whole]]
        mean, deviation = mean_and_deviation(self._circuit, flow, position)
        return _number_shift(column, mean, deviation, divergence)


def _divergence(part: Floats, whole: Floats) -> float:
    """Return Σ p log(p / q) in nats; 0 for a column that the part does not have."""
    there = part > 0.0
    return float((part[there] * np.log(part[there] / whole[there])).sum())


def _level_shift(column: Column, part: Floats, whole: Floats, divergence: float) -> LevelShift:
    more, fewer = int(np.argmax(part - whole)), int(np.argmin(part - whole))
    return LevelShift(
        column.name,
        column.levels[more],
        float(part[more]),
        float(whole[more]),
        column.levels[fewer] if column.n_levels > 2 else None,
        float(part[fewer]),
        float(whole[fewer]),
        divergence,
    )


def _number_shift(column: Column, mean: Floats, spread: Floats, divergence: float) -> NumberShift:
    """Return the difference of the first of two means and deviations from the second."""
    gap = float((mean[0] - mean[1]) / spread[1]) if spread[1] > 0.0 else 0.0
    direction: Literal["higher", "lower", "other shape"] = "higher" if gap > 0.0 else "lower"
    if abs(gap) < _CLEARLY:
        direction = "other shape"
    own, all_rows = (
        _spoken(column, m, s) for m, s in zip(mean.tolist(), spread.tolist(), strict=True)
    )
    change = "" if direction == "other shape" else f"{moved(column, up=gap > 0.0)}: "
    return NumberShift(
        column.name,
        _plain(column, float(mean[0])),
        float(spread[0]),
        _plain(column, float(mean[1])),
        float(spread[1]),
        direction,
        divergence,
        short=f"{column.name} {own}",
        words=f"{column.name} {change}{own} (overall {all_rows})",
    )


def _spoken(column: Column, mean: float, deviation: float) -> str:
    near = _near(mean, deviation)
    return f"{value_text(column, near, deviation)} ± {deviation_text(column, deviation)}"


def _near(mean: float, deviation: float) -> float:
    """Return a mean without digits that are insignificant beside its deviation."""
    if not 0.0 < deviation < math.inf:
        return mean
    return round(mean, 2 - math.floor(math.log10(deviation))) + 0.0


def _plain(column: Column, value: float) -> float | str:
    """Return a JSON-safe value: a number, or a time as ISO text."""
    return str(decode_value(column, value)) if column.kind == "datetime" else value


def _level(column: str, level: Level) -> str:
    return level_text(column, level, _LEVEL_LETTERS)
