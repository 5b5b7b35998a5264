"""Log-densities of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import count, print_answer
from softlearn.cli.options import Unknown
from softlearn.cli.streaming import ArrowTable, StreamingCommand

if TYPE_CHECKING:
    from softlearn.arrays import Floats
    from softlearn.files import Batch, TableSource


@dataclass(frozen=True, kw_only=True)
class Score(StreamingCommand):
    """Print the log-density of each row, in nats; missing cells are summed out."""

    examples = (
        "softlearn score bank.safetensors new.csv",
        "softlearn score bank.safetensors new.csv --append -o scored.parquet",
        "softlearn score bank.safetensors new.csv --mean",
    )

    unknown: Unknown = "error"
    mean: Annotated[bool, typer.Option("--mean", help="Print only the mean.")] = False
    append: Annotated[
        bool, typer.Option("--append", help="Keep the table's columns, and add log_density.")
    ] = False

    def run(self) -> None:
        """Score batch by batch."""
        model, tally = self.load(), Tally()

        def scored(source: TableSource, batch: Batch) -> Floats:
            scores = model.score_samples(batch.table, unknown=self.unknown)
            tally.add(scores)
            return scores

        def answer(source: TableSource, batch: Batch) -> ArrowTable:
            before = self.stored(source, batch) if self.append else None
            return _column(scored(source, batch), before)

        if self.mean:
            self.each(model, "scoring", scored)
            print_answer(tally.found(), f"{tally.mean:.6f}", as_json=self.as_json)
            return
        self.stream(model, "scoring", answer)
        self.conclude(tally.found(), tally.text())


@dataclass
class Tally:
    """What is known about the scores of all rows together."""

    n_rows: int = 0
    total: float = 0.0
    lowest: float = math.inf
    n_impossible: int = 0

    def add(self, scores: Floats) -> None:
        """Count more rows in."""
        self.n_rows += scores.size
        self.total += float(scores.sum())
        self.lowest = min(self.lowest, float(scores.min(initial=math.inf)))
        self.n_impossible += int((scores == -math.inf).sum())

    @property
    def mean(self) -> float:
        """The mean log-density."""
        return self.total / self.n_rows if self.n_rows else math.nan

    def found(self) -> dict[str, object]:
        """Return the numbers by name."""
        return {
            "rows": self.n_rows,
            "mean_log_density": self.mean,
            "lowest_log_density": self.lowest if self.n_rows else math.nan,
            "impossible_rows": self.n_impossible,
        }

    def text(self) -> str:
        """Return the numbers in words."""
        if not self.n_rows:
            return "no rows"
        text = f"{count(self.n_rows, 'row')}: mean log-density {self.mean:.4f}, "
        impossible = f", {self.n_impossible:,} of probability zero" if self.n_impossible else ""
        return f"{text}lowest {self.lowest:.4f}{impossible}"


def _column(scores: Floats, before: ArrowTable | None) -> ArrowTable:
    """Return the scores as a table, behind the columns that come before them."""
    import pyarrow as pa  # noqa: PLC0415

    if before is None:
        return pa.table({"log_density": scores})
    return before.append_column("log_density", pa.array(scores))
