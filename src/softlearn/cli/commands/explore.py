"""The explorer in the browser."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import print_answer
from softlearn.cli.command import Command
from softlearn.cli.inputs import batches_of, load_model, open_source
from softlearn.cli.options import MissingWords, ModelPath, Unknown
from softlearn.errors import MissingDependencyError

if TYPE_CHECKING:
    from softlearn.arrays import Floats
    from softlearn.model import Model


@dataclass(frozen=True, kw_only=True)
class Explore(Command):
    """Explore a model in the browser.

    By default only this machine can open the page. With another `--host` a token is required,
    which is part of the printed address. Stop it with Ctrl-C.
    """

    examples = (
        "softlearn explore bank.safetensors",
        "softlearn explore bank.safetensors --data bank.csv --port 9000 --no-browser",
    )

    model: ModelPath
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="TABLE", help="A table of rows to explore with the model."),
    ] = None
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Default: the first free port from 8765; 0 takes any."
        ),
    ] = None
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1"
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")
    ] = True
    unknown: Unknown = "error"
    missing_words: MissingWords = None

    def run(self) -> None:
        """Serve until Ctrl-C."""
        try:
            from softlearn.web import serve  # noqa: PLC0415
            from softlearn.web.explorer import open_place  # noqa: PLC0415
        except ImportError as error:
            raise MissingDependencyError(
                f'the explorer needs {error.name}: pip install "softlearn[web]"'
            ) from None

        model = load_model(self.model)
        values = None if self.data is None else self._read(model, self.data)
        place = open_place(self.host, self.port)
        with place.line:
            serve(model, values, Path(self.model).stem, place, self._announce)
        if not self.as_json:
            typer.echo("stopped")

    def _announce(self, url: str) -> None:
        print_answer({"url": url}, f"exploring at {url}  (Ctrl-C ends it)", as_json=self.as_json)
        if self.browser:
            webbrowser.open(url)

    def _read(self, model: Model, path: str) -> Floats:
        """Return the encoded cells of a table, (columns, rows)."""
        import numpy as np  # noqa: PLC0415

        from softlearn.table import encode  # noqa: PLC0415

        with open_source(path, self.missing_words) as source:
            parts = [
                encode(batch.table, model.schema, unknown=self.unknown)
                for batch in batches_of(source, model.schema, "reading")
            ]
        return np.concatenate(parts, axis=1) if parts else np.empty((len(model.schema), 0))
