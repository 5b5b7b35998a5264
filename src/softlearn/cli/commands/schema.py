"""The schema of a table: shown, or written to a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softlearn.cli.answers import count, must_be_free, print_answer
from softlearn.cli.command import Command
from softlearn.cli.inputs import load_model, open_source, read_choices
from softlearn.cli.learning import without
from softlearn.cli.options import Drop, Force, Missing, MissingWords, SchemaPath
from softlearn.cli.rows import print_report
from softlearn.whole_files import write_whole

if TYPE_CHECKING:
    from softlearn.table import Column, Schema

_MODEL = ".safetensors"
_LEVELS_SHOWN = 6


@dataclass(frozen=True, kw_only=True)
class ShowSchema(Command):
    """Show the schema of a table or model, or write it to a file that `fit` reads.

    In a terminal it is shown as a table: kinds, values, whether scores count probabilities or
    densities, and the reason for each kind. A pipe or `-o` gets TOML, in which you can change
    kinds, levels and bounds, and leave out columns, for `softlearn fit --schema columns.toml`.
    """

    examples = (
        "softlearn schema bank.csv",
        "softlearn schema bank.csv -o columns.toml",
        "softlearn schema bank.safetensors --json",
    )

    source: Annotated[
        str, typer.Argument(metavar="TABLE|MODEL", help="A table, or a *.safetensors model.")
    ]
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write TOML here.")
    ] = None
    drop: Drop = field(default_factory=list)
    schema: SchemaPath = None
    missing: Missing = "unobserved"
    missing_words: MissingWords = None
    force: Force = False

    def run(self) -> None:
        """Guess, and show or write."""
        from softlearn.cli.schema_toml import schema_to_toml  # noqa: PLC0415

        must_be_free(self.output, force=self.force, inputs=(self.source, self.schema))
        schema = self._schema()
        if self.output is not None:
            write_whole(self.output, schema_to_toml(schema))
            found = {"columns": len(schema), "output": str(self.output)}
            text = f"{count(len(schema), 'column')} written to {self.output}"
            print_answer(found, text, as_json=self.as_json)
        elif self.as_json or not sys.stdout.isatty():
            print_answer(schema.to_dict(), schema_to_toml(schema).rstrip(), as_json=self.as_json)
        else:
            _show(schema)

    def _schema(self) -> Schema:
        from softlearn.table import infer_schema  # noqa: PLC0415

        if self.source.endswith(_MODEL):
            return load_model(Path(self.source)).schema
        choices = read_choices(self.schema)
        with open_source(self.source, self.missing_words) as source:
            table = source.read_all(choices.text_columns)
        table = without(table, [*self.drop, *choices.left_out])
        return infer_schema(table, overrides=choices.overrides, missing=self.missing)


def _show(schema: Schema) -> None:
    names = ["column", "kind", "values", "a score counts", "because"]
    cells = [
        (column.name, column.kind, _values(column), column.score_counts, column.reason)
        for column in schema
    ]
    print_report(names, [dict(zip(names, row, strict=True)) for row in cells])


def _values(column: Column) -> str:
    """Return the levels, or the scale in words, and whether a missing cell is one more."""
    levels = [str(level) for level in column.levels if level is not None]
    shown = ", ".join(levels[:_LEVELS_SHOWN]) if levels else column.in_words
    rest = f", … {len(levels)} in all" if len(levels) > _LEVELS_SHOWN else ""
    return shown + rest + (", or missing" if column.missing == "modelled" else "")
