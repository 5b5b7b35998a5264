"""A model learnt from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from softlearn.cli.answers import aligned, count, print_answer
from softlearn.cli.learning import LearningCommand, Training, seconds_since
from softlearn.errors import SoftlearnError

if TYPE_CHECKING:
    from softlearn.model import Model
    from softlearn.table import Schema


@dataclass(frozen=True, kw_only=True)
class Fit(LearningCommand):
    """Learn a circuit from a table, and save it.

    What columns are is guessed; missing cells are welcome. `softlearn schema` shows the guesses,
    and writes them to a file to be corrected.
    """

    examples = (
        "softlearn fit bank.csv -o bank.safetensors",
        "softlearn fit bank.csv -o bank.safetensors --hold-out 0.1 --leaf duration=histogram",
        "cat bank.csv | softlearn fit - -o bank.safetensors --drop id --weights w",
    )

    significance: Annotated[
        float | None,
        typer.Option(
            help="Level of the independence tests; smaller is a smaller circuit. If not said, it "
            "falls with the number of pairs of columns; 0.0001 if all columns have two levels."
        ),
    ] = None
    smoothing: Annotated[
        float, typer.Option(help="Pseudo-rows of every column with levels, and of every bin.")
    ] = 0.1
    smoothing_per: Annotated[
        Literal["column", "level"] | None,
        typer.Option(
            help="Whether a column's levels share the pseudo-rows, or each gets them. If not said "
            "they share them, unless all columns have two levels."
        ),
    ] = None
    n_clusters: Annotated[
        int | None,
        typer.Option(
            help="The most clusters at a time. If not said 2, or 4 for tables of many rows."
        ),
    ] = None
    max_iter: Annotated[
        int, typer.Option(help="Iterations of a clustering; 2 is Early SoftLearn.")
    ] = 100
    beta: Annotated[
        float | None,
        typer.Option(
            help="How hard memberships are, if softlearn clusters by k-means; 40 if not said."
        ),
    ] = None
    leaf: Annotated[
        list[str],
        typer.Option(
            metavar="[COLUMN=]FAMILY",
            help="histogram, for all numbers and times or for one column, instead of leaves over "
            "the cells of a scale; gaussian for plain numbers; repeatable.",
        ),
    ] = field(default_factory=list)
    max_nodes: Annotated[int | None, typer.Option(help="About the most nodes.")] = None
    max_depth: Annotated[int | None, typer.Option(help="The most splits above a leaf.")] = None
    time_budget: Annotated[
        float | None, typer.Option(help="Seconds after which nothing is split any more.")
    ] = None

    def run(self) -> None:
        """Learn, save, and say what was learnt."""
        training = self.prepare()
        start = perf_counter()
        learnt = self._estimator(training.schema)
        learnt.fit(training.rows, sample_weight=training.weights)
        seconds = seconds_since(start)
        model: Model = learnt.model_
        model.save(self.output)
        found = self._found(model, training, seconds)
        print_answer(found, _in_words(found), as_json=self.as_json)

    def _estimator(self, schema: Schema) -> Any:  # noqa: ANN401 - scikit-learn has no types
        from softlearn.estimators import LearnSPN, SoftLearn  # noqa: PLC0415

        shared: dict[str, Any] = {
            "clustering": self.clustering,
            "n_clusters": self.n_clusters,
            "significance": self.significance,
            "smoothing": self.smoothing,
            "smoothing_per": self.smoothing_per,
            "max_iter": self.max_iter,
            "leaf": _leaves(self.leaf, schema),
            "max_nodes": self.max_nodes,
            "max_depth": self.max_depth,
            "time_budget": self.time_budget,
            "random_state": self.seed,
            "n_jobs": self.jobs,
            "verbose": 1,  # which shows itself in terminals only
            "schema": schema,
        }
        if self.beta is None:
            return SoftLearn(**shared) if self.learner == "softlearn" else LearnSPN(**shared)
        if self.learner != "softlearn" or self.clustering != "kmeans":
            raise SoftlearnError("--beta goes with --learner softlearn --clustering kmeans only")
        return SoftLearn(**shared, beta=self.beta)

    def _found(self, model: Model, training: Training, seconds: float) -> dict[str, Any]:
        circuit, table = model.circuit, training.rows
        n_cells = table.num_rows * table.num_columns
        n_missing = sum(int(column.null_count) for column in table.columns)
        held_out = training.held_out
        return {
            "rows": table.num_rows,
            "columns": dict(Counter(column.kind for column in model.schema)),
            "missing_share": n_missing / n_cells,
            "seconds": seconds,
            "nodes": circuit.n_nodes,
            "edges": circuit.n_edges,
            "parameters": circuit.n_parameters,
            "depth": circuit.depth,
            "train_log_density": self.score(model, table),
            "held_out_rows": 0 if held_out is None else held_out.num_rows,
            "held_out_log_density": None if held_out is None else self.score(model, held_out),
            "output": str(self.output),
        }


def _leaves(choices: list[str], schema: Schema) -> str | dict[str, str]:
    """Return the family for all columns, or a mapping of columns to families."""
    named = dict(choice.rpartition("=")[::2] for choice in choices if "=" in choice)
    general = [choice for choice in choices if "=" not in choice]
    if len(general) > 1:
        raise SoftlearnError(f"--leaf is {general[0]} and {general[1]} at once; name columns")
    if not named:
        return general[0] if general else "gaussian"
    rest = {column.name: general[0] for column in schema if general and not column.is_discrete}
    return rest | named


def _in_words(found: dict[str, Any]) -> str:
    kinds = ", ".join(f"{number} {kind}" for kind, number in found["columns"].items())
    density = f"{found['train_log_density']:.4f} on the rows learnt from"
    if found["held_out_rows"]:
        rows = count(found["held_out_rows"], "held-out row")
        density += f", {found['held_out_log_density']:.4f} on {rows}"
    size = [count(found[what], what[:-1]) for what in ("nodes", "edges", "parameters")]
    lines = {
        "rows": f"{found['rows']:,}, {found['missing_share']:.1%} of the cells missing",
        "columns": kinds,
        "circuit": f"{', '.join(size)}, depth {found['depth']}",
        "log-density": f"{density} (mean, in nats)",
    }
    head = f"learnt in {found['seconds']:.1f} s"
    return f"{head}\n{aligned(lines)}\nsaved to {found['output']}"
