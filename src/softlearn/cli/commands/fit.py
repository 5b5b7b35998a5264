"""A model learnt from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal
from warnings import catch_warnings

import typer

from softlearn.cli.answers import aligned, count, print_answer
from softlearn.cli.learning import LearningCommand, Training, seconds_since
from softlearn.cli.on_workers import (
    ClusterAddress,
    Memory,
    Workers,
    fit_on_workers,
    is_for_workers,
)
from softlearn.errors import SoftlearnError
from softlearn.learners import DEFAULT_LEARNER

if TYPE_CHECKING:
    from softlearn.estimators import AutoCircuit
    from softlearn.model import Model

_SECONDS = 60.0  # of --best, unless --time says otherwise


@dataclass(frozen=True, kw_only=True)
class Fit(LearningCommand):
    """Learn a circuit from a table, and save it.

    The kinds of columns are inferred, and missing cells are allowed. `softlearn schema` shows the
    inferred kinds, or writes them to a file that you can correct and pass by --schema.
    """

    examples = (
        "softlearn fit bank.csv -o bank.safetensors",
        "softlearn fit bank.csv -o bank.safetensors --best --time 60",
        "softlearn fit bank.csv -o bank.safetensors --best --goal samples",
        "softlearn fit bank.csv -o bank.safetensors --hold-out 0.1 --leaf duration=histogram",
        "cat bank.csv | softlearn fit - -o bank.safetensors --drop id --weights w",
        "softlearn fit 'sales/*.parquet' -o sales.safetensors --workers 4 --memory 8GB",
    )

    best: Annotated[
        bool,
        typer.Option(
            "--best",
            help="Choose learner and settings, and mix several circuits; Ctrl-C keeps the best "
            "model so far. With --valid, those rows decide which is best.",
        ),
    ] = False
    time: Annotated[
        float | None,
        typer.Option("--time", metavar="SECONDS", help="Time limit of --best. Default: 60."),
    ] = None
    goal: Annotated[
        Literal["likelihood", "samples"] | None,
        typer.Option(
            "--goal",
            help="What --best is to be best at: the likelihood of new rows, or drawing rows that "
            "are hard to tell from real ones. Default: likelihood.",
        ),
    ] = None

    workers: Workers = None
    cluster: ClusterAddress = None
    memory: Memory = None

    def run(self) -> None:
        """Learn, save, and say what was learnt."""
        self._check_best()
        if is_for_workers(self):
            found = fit_on_workers(self)
            print_answer(found, _in_words(found), as_json=self.as_json)
            return
        training = self.prepare()
        start = perf_counter()
        # A terminal shows how far it is; nothing else does.
        if self.best:
            learnt = self._search(training)
        else:
            learnt = self.estimator(training.schema, n_jobs=self.jobs, verbose=1)
            learnt.fit(training.rows, sample_weight=training.weights)
        seconds = seconds_since(start)
        model: Model = learnt.model_
        model.save(self.output)
        found = self._found(model, training, seconds)
        if self.best:
            report = learnt.report_
            found |= {"members": report.n_members, "fits": len(report.table), "end": report.ended}
        print_answer(found, _in_words(found), as_json=self.as_json)

    def _check_best(self) -> None:
        if not self.best and self.time is not None:
            raise SoftlearnError(
                "--time is the time limit of --best, and has an effect only with it"
            )
        if not self.best and self.goal is not None:
            raise SoftlearnError("--goal says what --best is to be best at; add --best")
        if self.best and (self.settings or self.learner != DEFAULT_LEARNER):
            raise SoftlearnError(
                "--best chooses the learner and its settings; leave out --learner and its options"
            )
        if self.time is not None and not self.time > 0.0:
            raise SoftlearnError(f"--time is a number of seconds above 0, not {self.time:g}")

    def _search(self, training: Training) -> AutoCircuit:
        from softlearn.estimators import AutoCircuit  # noqa: PLC0415

        learnt = AutoCircuit(
            _SECONDS if self.time is None else self.time,
            goal=self.goal or "likelihood",
            random_state=self.seed,
            n_jobs=self.jobs,
            verbose=1,
            schema=training.schema,
        )
        judge = None if self.valid is None else training.held_out
        with catch_warnings(action="ignore", category=UserWarning):  # shown in the answer
            return learnt.fit(training.rows, sample_weight=training.weights, valid=judge)

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
    if "bytes_moved" in found:
        parts = f"{count(found['partitions'], 'partition')} on {count(found['workers'], 'worker')}"
        lines["read in"] = f"{parts}, which sent {found['bytes_moved'] / 1e6:,.1f} MB"
    head = f"learnt in {found['seconds']:.1f} s"
    if "members" in found:
        circuits = f"{count(found['members'], 'circuit')} of {count(found['fits'], 'fit')}"
        head += f", a mixture of {circuits}" if found["members"] > 1 else f", {circuits}"
        head += "; interrupted, the best so far" * (found["end"] == "interrupted")
    return f"{head}\n{aligned(lines)}\nsaved to {found['output']}"
