"""Read the inputs of commands: models, tables batch by batch, conditions and schema files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from softlearn.cli.mistakes import note
from softlearn.cli.progress import progress_bar
from softlearn.errors import ModelFileError, SchemaError, TableError

if TYPE_CHECKING:
    from softlearn.cli.schema_toml import Choices
    from softlearn.files import Batch, TableSource
    from softlearn.model import Model
    from softlearn.table import Column, Schema

_NAMED = 5  # left-out columns that a note names
_OF_TABLES = {".csv", ".tsv", ".gz", ".parquet", ".feather"}
_OF_MODELS = ".safetensors"


def load_model(path: Path) -> Model:
    """Load a model, with pyarrow tables as its frames."""
    from softlearn.model import Model, load  # noqa: PLC0415

    if path.suffix in _OF_TABLES and path.is_file():
        raise ModelFileError(f"{path} is a table, not a model; commands take the model first")
    model = load(path)
    return Model(model.circuit, _in_arrow(model.schema))


def known(text: str, model: Model) -> dict[str, object]:
    """Return the conditions of a text."""
    from softlearn.conditions import parse_conditions  # noqa: PLC0415

    return parse_conditions(text, model.schema)


@contextmanager
def open_source(path: str, missing: str | None) -> Iterator[TableSource]:
    """Open a table with given words for missing cells."""
    from softlearn.files import MISSING_WORDS, open_table  # noqa: PLC0415

    if path.endswith(_OF_MODELS):
        raise TableError(f"{path} is a model, not a table; commands take the model first")
    words = MISSING_WORDS if missing is None else {word.strip() for word in missing.split(",")}
    with open_table(path, missing=words) as source:
        yield source


def batches_of(
    source: TableSource, schema: Schema, doing: str, *, is_first: bool = True
) -> Iterator[Batch]:
    """Yield the rows of a table, with a bar; columns that the model lacks are noted once."""
    extra = [name for name in source.names if name not in schema.names]
    if extra and is_first:
        listed = ", ".join(map(repr, extra[:_NAMED])) + (" …" if len(extra) > _NAMED else "")
        note(f"the model does not know {listed}; left out")
    n_rows = 0
    with progress_bar(doing) as advance:
        for batch in source.batches(schema):
            yield batch
            n_rows += batch.stored.num_rows
            advance(batch.share, n_rows)


def read_choices(path: Path | None) -> Choices:
    """Return what a schema file says; without one, nothing."""
    from softlearn.cli.schema_toml import choices_from_toml  # noqa: PLC0415

    if path is None:
        return choices_from_toml("")
    try:
        return choices_from_toml(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise SchemaError(f"{path} is not a text file") from None


def _in_arrow(schema: Schema) -> Schema:
    """Return the schema with the types that pyarrow stores its columns in."""
    if schema.frame == "pyarrow":
        return schema
    columns = tuple(_column_in_arrow(column) for column in schema)
    return replace(schema, columns=columns, frame="pyarrow", numbered=False)


def _column_in_arrow(column: Column) -> Column:
    from softlearn.table.times import unit_of, zone_of  # noqa: PLC0415

    if column.kind != "datetime" or not column.dtype:
        return replace(column, dtype="")
    unit, zone = unit_of(column.dtype), zone_of(column.dtype)
    if unit == "day":
        return replace(column, dtype="date32[day]")
    return replace(column, dtype=f"timestamp[{unit}, tz={zone}]" if zone else f"timestamp[{unit}]")
