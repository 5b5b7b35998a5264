"""The tables that learners are compared on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from softlearn.cli.answers import aligned, print_answer
from softlearn.cli.command import Command

Name: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAME", help="The name of a data set, such as `bank`.")
]


@dataclass(frozen=True, kw_only=True)
class ListDatasets(Command):
    """List all data sets, and where each is: local, cache, download (not yet) or absent."""

    examples = ("softlearn datasets list",)

    def run(self) -> None:
        """List."""
        from softlearn.datasets import available  # noqa: PLC0415

        found = available()
        lines = [
            f"{one.name:<12}{one.kind:<8}{one.rows:>9,} rows{one.columns:>7,} columns  {one.where}"
            for one in found
        ]
        answer = {"datasets": [one._asdict() for one in found]}
        print_answer(answer, "\n".join(lines), as_json=self.as_json)


@dataclass(frozen=True, kw_only=True)
class InfoDataset(Command):
    """Show the size, source and licence of a data set."""

    examples = ("softlearn datasets info bank",)

    name: Name

    def run(self) -> None:
        """Show."""
        from softlearn.datasets import info  # noqa: PLC0415

        found = info(self.name)._asdict()
        splits = ", ".join(f"{rows:,} {split}" for split, rows in found["splits"].items())
        sizes = {name: f"{found[name]:,}" for name in ("rows", "columns")}
        lines = {name: str(value) for name, value in found.items()} | sizes | {"splits": splits}
        shown = {name: text for name, text in lines.items() if text}
        print_answer(found, aligned(shown, indent=""), as_json=self.as_json)


@dataclass(frozen=True, kw_only=True)
class FetchDataset(Command):
    """Download a data set unless it is present, verify it, and print where its files are."""

    examples = ("softlearn datasets fetch bank",)

    name: Name

    def run(self) -> None:
        """Fetch."""
        from softlearn.datasets import fetch  # noqa: PLC0415

        paths = [str(path) for path in fetch(self.name)]
        print_answer({"name": self.name, "files": paths}, "\n".join(paths), as_json=self.as_json)
