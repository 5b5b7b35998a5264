"""Commands that read a table batch by batch, and answer row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from softlearn.cli.answers import as_json_text, must_be_free
from softlearn.cli.command import Command
from softlearn.cli.inputs import batches_of, load_model, open_source
from softlearn.cli.options import Force, MissingWords, ModelPath, RowsPath, TablePath
from softlearn.cli.rows import goes_to_file, rows_out

if TYPE_CHECKING:
    from softlearn.files import Batch, TableSource
    from softlearn.model import Model

ArrowTable: TypeAlias = Any  # pyarrow has no types
Answer: TypeAlias = "Callable[[TableSource, Batch], ArrowTable]"


@dataclass(frozen=True, kw_only=True)
class StreamingCommand(Command):
    """A command whose answer has a row for each row of a table; both may exceed the memory."""

    model: ModelPath
    table: TablePath
    output: RowsPath = None
    missing_words: MissingWords = None
    force: Force = False

    def load(self) -> Model:
        """Return the model, after checking the output."""
        must_be_free(self.output, force=self.force, inputs=(self.table, self.model))
        return load_model(self.model)

    @property
    def is_text(self) -> bool:
        """Whether the output is text, so that cells can stay as they were written."""
        from softlearn.files import is_text_file  # noqa: PLC0415

        if self.output is not None and goes_to_file(self.output):
            return is_text_file(self.output)
        return not self.as_json

    def stored(self, source: TableSource, batch: Batch) -> ArrowTable:
        """Return the rows as the table has them; typed, if they do not go to text."""
        return batch.stored if self.is_text else source.typed(batch, batch.table)

    def stream(self, model: Model, doing: str, answer: Answer) -> int:
        """Write the answer to each batch, and return the number of rows."""
        with rows_out(self.output, force=self.force, as_json=self.as_json) as rows:
            self.each(model, doing, lambda source, batch: rows.write(answer(source, batch)))
        return rows.n_rows

    def each(self, model: Model, doing: str, look: Callable[[TableSource, Batch], object]) -> None:
        """Look at each batch, of one file after the other if there are several."""
        from softlearn.files import find_files  # noqa: PLC0415

        for number, file in enumerate(find_files(self.table)):
            with open_source(str(file), self.missing_words) as source:
                for batch in batches_of(source, model.schema, doing, is_first=not number):
                    look(source, batch)

    def conclude(self, found: Mapping[str, object], text: str) -> None:
        """Print the summary of all rows, after them or instead of them."""
        if goes_to_file(self.output):
            document = as_json_text({**found, "output": str(self.output)})
            typer.echo(document if self.as_json else f"{text}\nwritten to {self.output}")
        elif not self.as_json:
            typer.echo(text, err=True)
