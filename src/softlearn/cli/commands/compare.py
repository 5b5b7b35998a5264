"""``softlearn compare``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softlearn.cli.answers import count, print_answer
from softlearn.cli.commands.plot import save_picture
from softlearn.cli.learning import TrainingCommand
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.estimators import Comparison

_HELD_OUT = 0.2  # share of the rows, unless the caller says otherwise


@dataclass(frozen=True, kw_only=True)
class Compare(TrainingCommand):
    """Fit several learners to a table, and compare them on held-out rows.

    A fifth of the rows is held out, unless `--hold-out` or `--valid` is given. All learners have
    default parameters. A learner that does not accept the table is listed with the reason.
    """

    examples = (
        "softlearn compare bank.csv",
        "softlearn compare bank.csv --learners softlearn,hclt,cutsetnetwork -o compare.png",
    )

    learners: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Learners to compare, separated by commas; by default all."
        ),
    ] = ""
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Save a plot to this file, such as *.png."
        ),
    ] = None

    def run(self) -> None:
        """Learn, score, and show the table."""
        from softlearn.estimators import compare  # noqa: PLC0415

        names = self._names()
        has_rows = self.valid is not None or self.hold_out is not None
        command = self if has_rows else replace(self, hold_out=_HELD_OUT)
        training = command.read_training(self.output)
        with _told() as watch:
            found = compare(
                training.rows,
                names,
                valid=training.held_out,
                schema=training.schema,
                sample_weight=training.weights,
                random_state=self.seed,
                n_jobs=self.jobs,
                watch=watch,
            )
        if self.output is not None:
            self._draw(found)
        self._print(found, training.rows.num_rows)

    def _names(self) -> list[str]:
        from softlearn.datasets.published import must_be_known  # noqa: PLC0415
        from softlearn.learn import LEARNERS  # noqa: PLC0415

        names = [name.strip() for name in self.learners.split(",") if name.strip()]
        for name in names:
            must_be_known(name, list(LEARNERS), "learner")
        return names or list(LEARNERS)

    def _draw(self, found: Comparison) -> None:
        from softlearn.show import plots  # noqa: PLC0415

        assert self.output is not None
        save_picture(plots.learners(found.table), self.output)

    def _print(self, found: Comparison, n_rows: int) -> None:
        answer: dict[str, Any] = {
            "rows": n_rows,
            "held_out_rows": found.held_out_rows,
            "learners": found.table,
            "output": None if self.output is None else str(self.output),
        }
        if self.as_json:
            print_answer(answer, "", as_json=True)
            return
        held_out = count(found.held_out_rows, "held-out row")
        _print_table(found, f"{count(n_rows, 'row')} learnt from, {held_out}; nats per row")
        if self.output is not None:
            typer.echo(f"saved to {self.output}")
        if found.results[0].model is None:
            raise SoftlearnError("no learner accepts this table")


@contextmanager
def _told() -> Iterator[Callable[[str, int, int], None]]:
    """Yield a callback that shows which learner is being fitted, in a terminal only."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console  # noqa: PLC0415

    with Console(stderr=True).status("reading …") as status:
        yield lambda name, number, n: status.update(f"learning: {name}, {number} of {n}")


def _print_table(found: Comparison, title: str) -> None:
    """Print a table that fits the terminal; other readers get plain lines."""
    if not sys.stdout.isatty():
        typer.echo(f"{title}\n\n{found!r}")
        return
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    head, *lines = found.lines()
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="")
    for name in head:
        is_text = name in (head[0], head[-1])
        table.add_column(name, justify="left" if is_text else "right", no_wrap=name != head[-1])
    for line in lines:
        table.add_row(*line)
    Console(markup=False, highlight=False).print(table)
