"""``softlearn plot``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from softlearn.cli.answers import must_be_free, print_answer
from softlearn.cli.command import Command
from softlearn.cli.inputs import known, load_model, open_source
from softlearn.cli.options import Force, Given, MissingWords, ModelPath
from softlearn.errors import SoftlearnError
from softlearn.whole_files import whole_file

if TYPE_CHECKING:
    from softlearn.model import Model

_DOTS_PER_INCH = 150


@dataclass(frozen=True, kw_only=True)
class Plot(Command):
    """Plot a model to a .png, .svg or .pdf file.

    `marginals` shows single columns and `pairs` pairs of columns, with the rows of `--table` if it
    is given; `structure` the circuit; `conditional` how `--of` changes with `--on`; `likelihoods`
    the log-densities of a table; `calibration` how often `--event` occurs in a table against its
    predicted probability.
    """

    examples = (
        "softlearn plot marginals bank.safetensors --table bank.csv -o marginals.png",
        "softlearn plot pairs bank.safetensors --columns age,balance,y -o pairs.svg",
        "softlearn plot conditional bank.safetensors --of y --on age -o y.png",
        "softlearn plot calibration bank.safetensors --table new.csv --event y=yes -o sure.png",
    )

    kind: Annotated[
        Literal["marginals", "pairs", "structure", "conditional", "likelihoods", "calibration"],
        typer.Argument(help="What to draw.", metavar="KIND"),
    ]
    model: ModelPath
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The image file: .png, .svg or .pdf."),
    ]
    table: Annotated[
        str | None, typer.Option("--table", metavar="TABLE", help="Rows to show beside the model.")
    ] = None
    columns: Annotated[
        str | None, typer.Option(help="The columns to show, separated by commas; by default all.")
    ] = None
    of: Annotated[
        str | None, typer.Option(help="conditional: the column whose distribution is drawn.")
    ] = None
    on: Annotated[str | None, typer.Option(help="conditional: the column on the x axis.")] = None
    given: Given = ""
    event: Annotated[
        str | None,
        typer.Option(metavar="CONDITIONS", help="calibration: the event that is predicted."),
    ] = None
    missing_words: MissingWords = None
    force: Force = False

    def run(self) -> None:
        """Draw, and write the picture."""
        must_be_free(self.output, force=self.force, inputs=(self.model, self.table))
        model = load_model(self.model)
        save_picture(_DRAW[self.kind](self, model), self.output)
        found = {"kind": self.kind, "output": str(self.output)}
        print_answer(found, f"saved to {self.output}", as_json=self.as_json)

    def rows(self, model: Model) -> Any:  # noqa: ANN401 - a pyarrow Table, or None
        """Return the table with the model's columns, if one is given."""
        if self.table is None:
            return None
        import pyarrow as pa  # noqa: PLC0415

        with open_source(self.table, self.missing_words) as source:
            return pa.concat_tables([batch.table for batch in source.batches(model.schema)])

    def names(self) -> list[str] | None:
        """Return the columns to show; None for all."""
        return None if self.columns is None else [name.strip() for name in self.columns.split(",")]

    def needed(self, option: str) -> Any:  # noqa: ANN401
        """Return an option that this kind of plot requires."""
        value = getattr(self, option)
        if value is None:
            raise SoftlearnError(f"softlearn plot {self.kind} needs --{option}")
        return value


def save_picture(axes: Any, path: Path) -> None:  # noqa: ANN401 - one Axes, or an array of them
    """Write the figure that axes belong to; it appears whole or not at all."""
    figure = (axes.flat[0] if hasattr(axes, "flat") else axes).figure
    known_endings = sorted(figure.canvas.get_supported_filetypes())
    ending = path.suffix.removeprefix(".")
    if ending not in known_endings:
        raise SoftlearnError(f"{path} must end in one of .{', .'.join(known_endings)}")
    with whole_file(path) as temporary:
        figure.savefig(temporary, format=ending, dpi=_DOTS_PER_INCH, bbox_inches="tight")


def _marginals(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    return plots.marginals(model, plot.rows(model), plot.names())


def _pairs(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    return plots.pairs(model, plot.rows(model), plot.names())


def _structure(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    return plots.structure(model)


def _conditional(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    of, on = plot.needed("of"), plot.needed("on")
    return plots.conditional(model, of, on, known(plot.given, model))


def _likelihoods(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    plot.needed("table")
    return plots.likelihoods(model, plot.rows(model))


def _calibration(plot: Plot, model: Model) -> Any:  # noqa: ANN401
    from softlearn.show import plots  # noqa: PLC0415

    plot.needed("table")
    event = known(plot.needed("event"), model)
    return plots.calibration(model, plot.rows(model), event)


_DRAW: dict[str, Callable[[Plot, Model], Any]] = {
    "marginals": _marginals,
    "pairs": _pairs,
    "structure": _structure,
    "conditional": _conditional,
    "likelihoods": _likelihoods,
    "calibration": _calibration,
}
