"""A model learnt from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from softlearn.cli.answers import aligned, count, print_answer
from softlearn.cli.learning import LearningCommand, Training, seconds_since

if TYPE_CHECKING:
    from softlearn.model import Model


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

    def run(self) -> None:
        """Learn, save, and say what was learnt."""
        training = self.prepare()
        start = perf_counter()
        # A terminal shows how far it is; nothing else does.
        learnt = self.estimator(training.schema, n_jobs=self.jobs, verbose=1)
        learnt.fit(training.rows, sample_weight=training.weights)
        seconds = seconds_since(start)
        model: Model = learnt.model_
        model.save(self.output)
        found = self._found(model, training, seconds)
        print_answer(found, _in_words(found), as_json=self.as_json)

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
    head = f"learnt in {found['seconds']:.1f} s"
    return f"{head}\n{aligned(lines)}\nsaved to {found['output']}"
