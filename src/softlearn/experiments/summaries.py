"""Rows in a few numbers: means over seeds, the choice among settings, wins and losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

from softlearn.experiments.cell import Row

DECIMALS: Final = 3  # as the paper prints; systems that agree in all of them are tied


class Spread(NamedTuple):
    """A mean over seeds, and the standard deviation of one seed; None if there was only one."""

    mean: float
    sd: float | None
    n: int

    def __str__(self) -> str:
        return shown(self.mean) + ("" if self.sd is None else f" ± {shown(self.sd)}")


class Score(NamedTuple):
    """One system's setting on one data set."""

    rows: Sequence[Row]
    valid: Spread
    test: Spread

    def choice(self, name: str) -> Any:  # noqa: ANN401 - whatever the rows hold
        """Return what all rows of the setting share."""
        return self.rows[0][name]


class Tally(NamedTuple):
    """Data sets on which one system is better, worse, or equal to three decimals."""

    wins: int
    losses: int
    ties: int

    @property
    def n(self) -> int:
        """All data sets that were compared."""
        return self.wins + self.losses + self.ties

    def __str__(self) -> str:
        return f"{self.wins} of {self.n} ({self.losses} lost, {self.ties} tied)"


def shown(value: float | None) -> str:
    """Return a number as tables print it; a dash is for what is not there."""
    return "–" if value is None else f"{value:.{DECIMALS}f}"


def groups(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows by the values of some of their entries, in the order of the rows."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return found


def spread(rows: Sequence[Row], of: str) -> Spread:
    """Return the mean of one measurement over the rows, which differ in their seed."""
    values = [float(row[of]) for row in rows]
    return Spread(fmean(values), stdev(values) if len(values) > 1 else None, len(values))


def best_on_valid(rows: Sequence[Row], *settings: str) -> Score:
    """Return the setting with the best mean on the validation split.

    Parameters
    ----------
    rows
        Those of one system on one data set.
    settings
        The entries that tell settings apart.
    """
    scores = [
        Score(own, spread(own, "valid"), spread(own, "test"))
        for own in groups(rows, *settings).values()
    ]
    return max(scores, key=lambda score: score.valid.mean)


def tally(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Tally:
    """Count as the paper does: the higher mean wins, on each data set that both have."""
    pairs = [
        (round(ours[name], DECIMALS), round(theirs[name], DECIMALS))
        for name in ours
        if name in theirs
    ]
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return Tally(wins, losses, len(pairs) - wins - losses)


def in_order(rows: Sequence[Row], order: Sequence[str]) -> list[str]:
    """Return the data sets that the rows are about, in a fixed order."""
    present = {row["dataset"] for row in rows}
    return [name for name in order if name in present]
