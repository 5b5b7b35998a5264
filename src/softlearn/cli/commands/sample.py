"""Rows drawn from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from softlearn.cli.answers import as_json_text, count
from softlearn.cli.command import Command
from softlearn.cli.inputs import known, load_model
from softlearn.cli.options import Force, Given, ModelPath, RowsPath, Seed
from softlearn.cli.progress import progress_bar
from softlearn.cli.rows import goes_to_file, rows_out

_BATCH_ROWS = 65_536


@dataclass(frozen=True, kw_only=True)
class Sample(Command):
    """Draw rows from the model, optionally given a condition; exact, not by rejection."""

    examples = (
        "softlearn sample bank.safetensors -n 5",
        'softlearn sample bank.safetensors -n 1000 --given "age>=60, housing=no" -o rows.csv',
    )

    model: ModelPath
    number: Annotated[int, typer.Option("-n", "--number", min=0, help="Number of rows.")] = 10
    given: Given = ""
    seed: Seed = None
    output: RowsPath = None
    force: Force = False

    def run(self) -> None:
        """Draw batch by batch."""
        import numpy as np  # noqa: PLC0415

        with rows_out(self.output, force=self.force, as_json=self.as_json) as rows:
            model, rng = load_model(self.model), np.random.default_rng(self.seed)
            given = known(self.given, model)
            with progress_bar("drawing") as advance:
                for start in range(0, max(self.number, 1), _BATCH_ROWS):
                    rows.write(model.sample(min(_BATCH_ROWS, self.number - start), given, rng))
                    advance(rows.n_rows / max(self.number, 1), rows.n_rows)
        if goes_to_file(self.output):
            found = as_json_text({"rows": rows.n_rows, "output": str(self.output)})
            text = f"{count(rows.n_rows, 'row')} written to {self.output}"
            typer.echo(found if self.as_json else text)
