"""``softlearn impute``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from softlearn.cli.answers import count
from softlearn.cli.options import Seed, Unknown
from softlearn.cli.streaming import ArrowTable, StreamingCommand

if TYPE_CHECKING:
    from softlearn.files import Batch, TableSource


@dataclass(frozen=True, kw_only=True)
class Impute(StreamingCommand):
    """Fill the missing cells of a table; all other cells and columns stay as they are.

    Rows of probability zero are left as they are, and counted.
    """

    examples = (
        "softlearn impute bank.safetensors gaps.csv -o full.csv",
        "softlearn impute bank.safetensors gaps.csv --method draw --seed 1 -o full.csv",
    )

    method: Annotated[
        Literal["mean", "most_probable", "draw"],
        typer.Option(
            help="Fill each cell by its posterior mean or most probable level, complete each row "
            "as a whole, or draw the missing cells of a row together."
        ),
    ] = "mean"
    seed: Seed = None
    unknown: Unknown = "error"

    def run(self) -> None:
        """Fill batch by batch."""
        import numpy as np  # noqa: PLC0415

        model, rng = self.load(), np.random.default_rng(self.seed)
        before = after = 0

        def answer(source: TableSource, batch: Batch) -> ArrowTable:
            nonlocal before, after
            filled = model.impute(
                batch.table, self.method, rng, unknown=self.unknown, impossible="nan"
            )
            before += _n_missing(batch.table)
            after += _n_missing(filled)
            if self.is_text:
                return source.filled(batch, filled, model.schema)
            return source.typed(batch, filled)

        n_rows = self.stream(model, "filling", answer)
        text = f"{count(n_rows, 'row')}: {count(before - after, 'missing cell')} filled"
        left = f", {after:,} left missing (unknown, or in a row of probability zero)"
        found = {"rows": n_rows, "filled_cells": before - after, "missing_cells": after}
        self.conclude(found, text + (left if after else ""))


def _n_missing(table: ArrowTable) -> int:
    return sum(int(column.null_count) for column in table.columns)
