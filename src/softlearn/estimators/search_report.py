"""The report of a model search, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from softlearn.learn.search import Found, Trial
from softlearn.markup import block, table
from softlearn.table.from_lists import frame_from_lists

_SHOWN = 10  # members that are printed


@dataclass(frozen=True, eq=False, repr=False)
class SearchReport:
    """What was tried, and what came of it; printing it shows the members of the mixture.

    Attributes
    ----------
    score
        Mean log-density of the held-out rows under the best model, in nats. They have chosen the
        model, so that new rows may score a little lower.
    n_members
        Circuits in the mixture.
    ended
        Whether the search finished or was interrupted.
    table
        One dict for each fit, in order: its ``stage`` ("search", "member", or "refit" from all
        rows), ``learner``, ``settings``, ``rows`` learnt from, whether they were drawn
        (``bootstrap``), ``score`` on held-out rows (NaN if it was given up or has seen them),
        ``best`` score of any model so far, ``nodes``, ``seconds`` to learn, ``finished_at`` in
        seconds since the start, ``weight`` in the mixture and ``outcome``.
    """

    score: float
    n_members: int
    ended: Literal["finished", "interrupted"]
    table: tuple[dict[str, Any], ...]
    library: str = "pandas"

    @staticmethod
    def of(found: Found, library: str) -> SearchReport:
        """Return the report of a search for a frame of a library."""
        rows = tuple(map(_row, found.trials))
        return SearchReport(found.score, found.n_members, found.ended, rows, library)

    def frame(self) -> Any:  # noqa: ANN401 - as the caller's
        """Return the table as a frame of the library that the training table had."""
        columns = {name: [row[name] for row in self.table] for name in self.table[0]}
        return frame_from_lists(columns, self.library)

    def __repr__(self) -> str:
        return "\n".join([self._summary(), *map("  ".join, self._members())])

    def _repr_html_(self) -> str:
        head = ("weight", "score", "rows", "circuit")
        return block(self._summary(), table(head, self._members()))

    def _summary(self) -> str:
        seconds = self.table[-1]["finished_at"]
        n_fits = len(self.table)
        return (
            f"{self.n_members} circuit{'s' * (self.n_members > 1)} of {n_fits} fits in "
            f"{seconds:.0f} s, {self.score:.4f} nats per row on held-out rows"
            f"{', interrupted' if self.ended == 'interrupted' else ''}"
        )

    def _members(self) -> list[tuple[str, ...]]:
        """Return the heaviest members in words."""
        used = sorted((row for row in self.table if row["weight"] > 0.0), key=_heaviest_first)
        lines: list[tuple[str, ...]] = [
            (
                f"{row['weight']:6.1%}",
                f"{row['score']:.4f}",
                f"{row['rows']:,} rows{' drawn' if row['bootstrap'] else ''}",
                f"{row['learner']}({row['settings']})",
            )
            for row in used[:_SHOWN]
        ]
        left = len(used) - _SHOWN
        if left > 0:
            lines.append(("", "", "", f"and {left} more"))
        return lines


def _heaviest_first(row: dict[str, Any]) -> float:
    return -float(row["weight"])


def _row(trial: Trial) -> dict[str, Any]:
    settings = trial.candidate.settings.items()
    return {
        "stage": trial.stage,
        "learner": trial.candidate.learner,
        "settings": ", ".join(f"{name}={value}" for name, value in settings),
        "rows": trial.n_rows,
        "bootstrap": trial.bootstrap,
        "score": trial.score,
        "best": trial.best,
        "nodes": trial.n_nodes,
        "seconds": trial.seconds,
        "finished_at": trial.at,
        "weight": trial.weight,
        "outcome": trial.outcome,
    }
