"""Commands that learn: reading the training table, its schema, and held-out rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

import typer

from softlearn.cli.answers import must_be_free
from softlearn.cli.command import Command, Option, fields_as_options
from softlearn.cli.inputs import open_source, read_choices
from softlearn.cli.learner_options import learner_choices, learner_options
from softlearn.cli.mistakes import note
from softlearn.cli.options import (
    Drop,
    Force,
    Jobs,
    Missing,
    MissingWords,
    SchemaPath,
    TablePath,
    ValidPath,
    Weights,
)
from softlearn.errors import SoftlearnError, TableError, UnknownLevelError
from softlearn.learners import DEFAULT_LEARNER

if TYPE_CHECKING:
    from softlearn.arrays import Floats
    from softlearn.table import Schema

ArrowTable: TypeAlias = Any  # pyarrow has no types

_OF_MODELS = (".safetensors", ".psdd")


@dataclass(frozen=True)
class Training:
    """The training rows, and the held-out rows.

    Attributes
    ----------
    rows, held_out
        Tables with the columns of the schema; ``held_out`` may be None.
    weights
        One per row, or None.
    schema
        What the columns are: kinds and levels from all rows, scales from those learnt from.
    """

    rows: ArrowTable
    held_out: ArrowTable | None
    weights: Floats | None
    schema: Schema


@dataclass(frozen=True, kw_only=True)
class TrainingCommand(Command):
    """A command that reads a table to learn from."""

    table: TablePath
    drop: Drop = field(default_factory=list)
    schema: SchemaPath = None
    weights: Weights = None
    valid: ValidPath = None
    hold_out: Annotated[
        float | None,
        typer.Option("--hold-out", metavar="SHARE", help="Hold out this share of the rows."),
    ] = None
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed: another number gives another model.")
    ] = 0
    jobs: Jobs = None
    missing: Missing = "unobserved"
    missing_words: MissingWords = None
    force: Force = False

    def read_training(self, output: Path | None) -> Training:
        """Return the rows; the output is checked before they are read."""
        self.check_output(output)
        if self.hold_out is not None and not 0.0 < self.hold_out < 1.0:
            raise SoftlearnError(f"--hold-out is a share between 0 and 1, not {self.hold_out:g}")
        if self.hold_out is not None and self.valid is not None:
            raise SoftlearnError("--valid and --hold-out both name held-out rows; choose one")
        table, weights, schema = read_labelled(self)
        if self.valid is not None:
            return Training(table, self._read_valid(schema), weights, schema)
        if self.hold_out is None:
            return Training(table, None, weights, schema)
        parts = _divided(Training(table, None, weights, schema), self.hold_out, self.seed)
        return _with_own_scales(parts, self)

    def check_output(self, output: Path | None) -> None:
        """Refuse an output that exists or cannot be written."""
        inputs = (self.table, self.valid, self.schema)
        must_be_free(output, force=self.force, inputs=inputs)

    def _read_valid(self, schema: Schema) -> ArrowTable:
        import pyarrow as pa  # noqa: PLC0415

        assert self.valid is not None
        with open_source(self.valid, self.missing_words) as source:
            return pa.concat_tables([batch.table for batch in source.batches(schema)])


@dataclass(frozen=True, kw_only=True)
class LearningCommand(TrainingCommand):
    """A command that learns a model from a table."""

    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The model file, *.safetensors."),
    ]
    learner: str = DEFAULT_LEARNER
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the learner's own parameters

    @classmethod
    def options(cls) -> list[Option]:
        """Return the options, those of all learners among them."""
        return [*fields_as_options(cls), *learner_options()]

    @classmethod
    def called(cls, **given: Any) -> Self:  # noqa: ANN401 - what the options say
        """Return the command; only what the user chose goes to the learner."""
        own = {option.name for option in fields_as_options(cls)} | {"learner"}
        others = {name: value for name, value in given.items() if name not in own}
        settings = {name: value for name, value in others.items() if value not in (None, [])}
        return cls(
            **{name: value for name, value in given.items() if name in own}, settings=settings
        )

    def estimator(self, schema: Schema, **further: Any) -> Any:  # noqa: ANN401 - scikit-learn
        """Return the learner with all chosen parameters."""
        from softlearn.estimators import estimator_named  # noqa: PLC0415

        chosen = learner_choices(self.learner, self.settings, schema)
        return estimator_named(self.learner)(
            **chosen, random_state=self.seed, schema=schema, **further
        )

    def check_output(self, output: Path | None) -> None:
        """Also refuse names that other commands would not read as a model."""
        super().check_output(output)
        if self.output.suffix not in _OF_MODELS:
            raise SoftlearnError(
                f"a model is saved to a .safetensors file, not to {self.output.name}; "
                "softlearn convert writes other formats"
            )

    def prepare(self) -> Training:
        """Return the rows to learn from and those that are held out."""
        return self.read_training(self.output)

    def score(self, model: Any, table: ArrowTable) -> float:  # noqa: ANN401 - a Model
        """Return the mean log-density of rows."""
        try:
            return float(model.score(table))
        except UnknownLevelError as error:
            raise TableError(
                f"held-out rows: {error.what}; add it to the levels in a --schema file"
            ) from None


def read_labelled(command: TrainingCommand) -> tuple[ArrowTable, Floats | None, Schema]:
    """Return the table without columns that are left out, the weights, and the schema."""
    from softlearn.table import infer_schema  # noqa: PLC0415

    choices = read_choices(command.schema)
    with open_source(command.table, command.missing_words) as source:
        table = source.read_all(choices.text_columns)
    weights = None
    if command.weights is not None:
        weights = _numbers(table, command.weights)
        table = table.drop_columns([command.weights])
    table = without(table, [*command.drop, *choices.left_out])
    if not table.num_rows:
        raise TableError(f"{command.table} has no rows below its header")
    schema = infer_schema(
        table, overrides=choices.overrides, missing=command.missing, weights=weights
    )
    return table, weights, schema


def without(table: ArrowTable, names: list[str]) -> ArrowTable:
    """Return the table without some columns, and without a nameless one (a written index)."""
    from softlearn.table.schema import unknown_name  # noqa: PLC0415

    for name in names:
        if name not in table.column_names:
            raise unknown_name(name, table.column_names)
    if "" in table.column_names and "" not in names:
        note("a column has no name, as a written index has none; left out")
        names = [*names, ""]
    return table.drop_columns(names)


def seconds_since(start: float) -> float:
    """Return the seconds since ``perf_counter`` was ``start``."""
    return perf_counter() - start


def _numbers(table: ArrowTable, name: str) -> Floats:
    import pyarrow as pa  # noqa: PLC0415

    from softlearn.table.schema import unknown_name  # noqa: PLC0415

    if name not in table.column_names:
        raise unknown_name(name, table.column_names)
    column = table[name]
    if column.null_count or not (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ):
        raise TableError(f"--weights: column {name!r} must hold a number in every row")
    weights: Floats = column.cast(pa.float64()).to_numpy()
    return weights


def _divided(all_rows: Training, share: float, seed: int) -> Training:
    """Return the rows in two parts, drawn by the seed; each has at least one."""
    import numpy as np  # noqa: PLC0415

    n_rows = all_rows.rows.num_rows
    n_held_out = min(max(round(share * n_rows), 1), n_rows - 1)
    is_held_out = np.zeros(n_rows, dtype=bool)
    is_held_out[np.random.default_rng(seed).permutation(n_rows)[:n_held_out]] = True
    weights = None if all_rows.weights is None else all_rows.weights[~is_held_out]
    rows, held_out = (all_rows.rows.filter(mask) for mask in (~is_held_out, is_held_out))
    return Training(rows, held_out, weights, all_rows.schema)


def _with_own_scales(training: Training, command: TrainingCommand) -> Training:
    """Return the rows with scales that are inferred from training rows only."""
    from softlearn.table import Schema, infer_schema  # noqa: PLC0415

    overrides = read_choices(command.schema).overrides
    columns = list(training.schema)
    for place, column in enumerate(columns):
        cells = training.rows.select([column.name])
        if column.scale is None or cells[column.name].null_count == cells.num_rows:
            continue
        choice = overrides.get(column.name, column.kind)
        known = choice if isinstance(choice, Mapping) else {"kind": choice}
        further = {"kind": column.kind, "missing": column.missing, **known}
        found = infer_schema(cells, overrides={column.name: further}, weights=training.weights)
        columns[place] = replace(column, scale=found[0].scale)
    return replace(training, schema=Schema(tuple(columns), training.schema.frame))
