"""Learn on Dask workers, from tables that are larger than the memory or in many files."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from softlearn.cli.answers import count
from softlearn.cli.inputs import open_source, read_choices
from softlearn.cli.progress import progress_bar
from softlearn.errors import MissingDependencyError, SoftlearnError, TableError

if TYPE_CHECKING:
    from softlearn.cli.commands.fit import Fit
    from softlearn.model import Model
    from softlearn.scale import Partitions
    from softlearn.table.summary import TableSummary

Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Learn on so many processes of this machine, part by part: for a folder or pattern of "
        "files, or a table that does not fit into memory.",
    ),
]
ClusterAddress: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Learn on a Dask cluster, such as tcp://host:8786."
    ),
]
Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="What all workers of --workers may take, such as 2GB."
    ),
]


def is_for_workers(command: Fit) -> bool:
    """Return whether a table is to be read in parts."""
    from softlearn.files import names_several  # noqa: PLC0415

    options = (command.workers, command.cluster, command.memory)
    return any(one is not None for one in options) or names_several(command.table)


def fit_on_workers(command: Fit) -> dict[str, Any]:
    """Learn from files on workers, save the model, and return the results."""
    _check(command)
    try:
        from softlearn import scale  # noqa: PLC0415
    except ImportError as error:
        raise MissingDependencyError(
            f'learning in parts needs {error.name}: pip install "softlearn[dask]"'
        ) from None
    from softlearn.table.infer import schema_of  # noqa: PLC0415
    from softlearn.warm_up import warm_up  # noqa: PLC0415

    choices = read_choices(command.schema)
    if command.memory is not None:
        warm_up()  # in this process, because workers may not have enough memory for compiling
    with scale.open_cluster(command.workers, command.cluster, command.memory) as cluster:
        start = perf_counter()
        typer.echo(
            f"{count(cluster.n_workers, 'worker')}; Dask shows them at {cluster.dashboard}",
            err=True,
        )
        rows = scale.with_training_weights(_partitions(command))
        with progress_bar("reading") as advance:
            summary = scale.summary_over(rows, advance)
        schema = schema_of(summary, overrides=choices.overrides, missing=command.missing)
        _tell_rows(summary, len(rows.frames), perf_counter() - start)
        learnt = command.estimator(schema, n_jobs=command.jobs, verbose=1).fit(rows)
        seconds = perf_counter() - start
        model: Model = learnt.model_
        _, train = scale.mean_score(model, rows)
        found = _found(model, summary, seconds) | {
            "train_log_density": train,
            **_held_out(command, model),
            "output": str(command.output),
            "workers": cluster.n_workers,
            "partitions": len(rows.frames),
            "bytes_moved": cluster.bytes_moved(),
        }
    model.save(command.output)
    return found


def _check(command: Fit) -> None:
    """Check the output and all options before the work, and refuse options for whole tables."""
    from softlearn.files import find_files  # noqa: PLC0415

    command.check_output(command.output)
    if command.best:
        raise SoftlearnError(
            "--best needs the whole table in memory; leave out --workers and --cluster"
        )
    if command.hold_out is not None:
        raise SoftlearnError("--hold-out needs the whole table; name held-out rows by --valid")
    if command.table == "-":
        raise SoftlearnError("workers cannot read standard input; write it to a file first")
    for file in find_files(command.table):
        if not file.is_file():
            raise TableError(f"cannot read {file}: there is no such file")


def _partitions(command: Fit) -> Partitions:
    from softlearn.scale import read_partitions  # noqa: PLC0415

    choices = read_choices(command.schema)
    words = command.missing_words
    return read_partitions(
        command.table,
        weights=command.weights,
        drop=[*command.drop, *choices.left_out],
        text_columns=choices.text_columns,
        missing=None if words is None else {word.strip() for word in words.split(",")},
    )


def _tell_rows(summary: TableSummary, n_parts: int, seconds: float) -> None:
    typer.echo(
        f"{summary.n_rows:,} rows of {len(summary.names)} columns in {n_parts} partition(s), read "
        f"in {seconds:.1f} s: {summary.n_rows / max(seconds, 0.001):,.0f} rows/s",
        err=True,
    )


def _found(model: Model, summary: TableSummary, seconds: float) -> dict[str, Any]:
    circuit = model.circuit
    n_cells = summary.n_rows * len(summary.columns)
    n_observed = sum(column.n_observed for column in summary.columns)
    return {
        "rows": summary.n_rows,
        "columns": dict(Counter(column.kind for column in model.schema)),
        "missing_share": 1.0 - n_observed / n_cells,
        "seconds": seconds,
        "nodes": circuit.n_nodes,
        "edges": circuit.n_edges,
        "parameters": circuit.n_parameters,
        "depth": circuit.depth,
    }


def _held_out(command: Fit, model: Model) -> dict[str, Any]:
    """Return the score of the rows of --valid, read batch by batch."""
    if command.valid is None:
        return {"held_out_rows": 0, "held_out_log_density": None}
    n_rows, total = 0, 0.0
    with open_source(command.valid, command.missing_words) as source:
        for batch in source.batches(model.schema):
            n_rows += batch.table.num_rows
            total += command.score(model, batch.table) * batch.table.num_rows
    if not n_rows:
        raise TableError(f"{command.valid} has no rows below its header")
    return {"held_out_rows": n_rows, "held_out_log_density": total / n_rows}
