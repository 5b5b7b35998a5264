"""The most probable level of one column, row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import count
from softlearn.cli.options import Unknown
from softlearn.cli.streaming import ArrowTable, StreamingCommand
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.files import Batch, TableSource
    from softlearn.table import Column


@dataclass(frozen=True, kw_only=True)
class Classify(StreamingCommand):
    """Predict one column from the others, with the probability of each level.

    If the table contains the column, its cells are used only to report the accuracy. Missing cells
    of other columns are summed out.
    """

    examples = (
        "softlearn classify bank.safetensors new.csv --target y",
        "softlearn classify bank.safetensors new.csv --target y --append -o predicted.csv",
    )

    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column to predict.")]
    unknown: Unknown = "error"
    append: Annotated[
        bool, typer.Option("--append", help="Keep the table's columns, and add the prediction.")
    ] = False

    def run(self) -> None:
        """Predict batch by batch."""
        model, tally = self.load(), Tally()
        target = model.schema[self.target]
        if not target.is_discrete:
            raise SoftlearnError(
                f"column {target.name!r} is {target.kind} and has no levels to choose from; "
                "softlearn impute fills such columns"
            )

        def answer(source: TableSource, batch: Batch) -> ArrowTable:
            rows = _without_cells(batch.table, target.name)
            found = [
                model.probability(
                    {target.name: level}, given=rows, impossible="nan", unknown=self.unknown
                ).tolist()
                for level in target.levels
            ]
            predicted = _most_probable(target, found)
            actual = batch.table[target.name] if target.name in source.names else None
            tally.add(predicted, [] if actual is None else actual.to_pylist())
            before = self.stored(source, batch) if self.append else None
            return _beside(before, target, predicted, found)

        n_rows = self.stream(model, "predicting", answer)
        self.conclude({"rows": n_rows, **tally.found()}, tally.text(n_rows))


@dataclass
class Tally:
    """How many predictions could be compared, and how many of them were right."""

    n_compared: int = 0
    n_right: int = 0
    n_impossible: int = 0

    def add(self, predicted: Sequence[object], actual: Sequence[object]) -> None:
        """Count more rows in."""
        pairs = [pair for pair in zip(predicted, actual, strict=False) if pair[1] is not None]
        self.n_compared += len(pairs)
        self.n_right += sum(one == other for one, other in pairs)
        self.n_impossible += sum(one is None for one in predicted)

    def found(self) -> dict[str, object]:
        """Return the numbers by name."""
        accuracy = self.n_right / self.n_compared if self.n_compared else None
        return {
            "compared": self.n_compared,
            "accuracy": accuracy,
            "impossible_rows": self.n_impossible,
        }

    def text(self, n_rows: int) -> str:
        """Return the numbers in words."""
        text = f"{count(n_rows, 'row')} predicted"
        if self.n_compared:
            share = self.n_right / self.n_compared
            text += f"; {share:.1%} of {self.n_compared:,} known cells right"
        return text + (f"; {self.n_impossible:,} of probability zero" if self.n_impossible else "")


def _without_cells(table: ArrowTable, name: str) -> ArrowTable:
    """Return the table with one column made unobserved."""
    import pyarrow as pa  # noqa: PLC0415

    others = table.drop_columns([name]) if name in table.column_names else table
    return others.append_column(name, pa.nulls(table.num_rows))


def _most_probable(target: Column, found: list[list[float]]) -> list[object]:
    """Return the level of highest probability; None for a row of probability zero."""
    return [
        None if math.isnan(row[0]) else target.levels[max(range(len(row)), key=row.__getitem__)]
        for row in zip(*found, strict=True)
    ]


def _beside(
    stored: ArrowTable | None, target: Column, predicted: Sequence[object], found: list[list[float]]
) -> ArrowTable:
    """Return the prediction and the probabilities, behind the stored columns if there are any."""
    import pyarrow as pa  # noqa: PLC0415

    answer = {f"{target.name}_predicted": pa.array(predicted)}
    for level, probabilities in zip(target.levels, found, strict=True):
        answer[f"{target.name}={level}"] = pa.array(probabilities, from_pandas=True)
    if stored is None:
        return pa.table(answer)
    for name, column in answer.items():
        stored = stored.append_column(name, column)
    return stored
