"""``softlearn outliers``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Self

import typer

from softlearn.cli.answers import count
from softlearn.cli.rows import rows_out
from softlearn.cli.streaming import ArrowTable, StreamingCommand

if TYPE_CHECKING:
    from softlearn.arrays import Floats
    from softlearn.estimators import CircuitOutlierDetector
    from softlearn.files import Batch, TableSource
    from softlearn.model import Model

_USUAL_ROWS = 1000
_REASONS = 3  # cells that are named for a row
_SURPRISING = 1.0  # nats beyond what is usual


@dataclass(frozen=True, kw_only=True)
class Outliers(StreamingCommand):
    """List the least probable rows, and the cells that make them odd.

    Rows are ranked by the log-probability of their cells, so that a number written with more digits
    is no odder for it; softlearn score prints log-densities, which may rank rows otherwise. A
    cell's number is its surprise beyond what is usual in its column, in nats: -log P(cell | the
    row's other cells), minus the mean of that over rows drawn from the model.
    """

    examples = (
        "softlearn outliers bank.safetensors bank.csv",
        "softlearn outliers bank.safetensors bank.csv -n 100 -o odd.csv",
    )

    number: Annotated[int, typer.Option("-n", "--number", min=1, help="Number of rows.")] = 10

    def run(self) -> None:
        """Find the lowest rows in one walk through the table, then explain them."""
        model, lowest = self.load(), Lowest(self.number)
        detector = detector_of(model)

        def look(source: TableSource, batch: Batch) -> None:
            lowest.add(batch, detector.score_samples(batch.table))

        self.each(model, "scoring", look)
        answer = _explained(detector, lowest, is_text=self.is_text)
        with rows_out(self.output, force=self.force, as_json=self.as_json, as_report=True) as rows:
            rows.write(answer)
        found = {"rows": lowest.n_rows, "outliers": answer.num_rows}
        self.conclude(found, f"the oddest {answer.num_rows} of {count(lowest.n_rows, 'row')}")


@dataclass(frozen=True)
class AlreadyLearnt:
    """An estimator with a given model, on which other estimators can be built."""

    model_: Model

    def fit(self, table: ArrowTable, y: object = None, sample_weight: object = None) -> Self:
        """Learn nothing."""
        return self

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return no parameters."""
        return {}

    def __sklearn_clone__(self) -> Self:
        return self


def detector_of(model: Model) -> CircuitOutlierDetector:
    """Return a detector whose usual surprise is that of rows drawn from the model."""
    from softlearn.estimators import CircuitOutlierDetector  # noqa: PLC0415

    usual = model.sample(_USUAL_ROWS, random_state=0)
    return CircuitOutlierDetector(AlreadyLearnt(model)).fit(usual)


def _explained(detector: CircuitOutlierDetector, lowest: Lowest, *, is_text: bool) -> ArrowTable:
    """Return the rows with their number, their density and the cells that make them odd."""
    import pyarrow as pa  # noqa: PLC0415

    odd = detector.explain(lowest.typed).to_pylist()
    known = lowest.typed.to_pylist()
    because = [_reasons(row, of_row) for row, of_row in zip(known, odd, strict=True)]
    first = {"row": lowest.rows, "log_probability": lowest.scores, "because": because}
    answer = pa.table(first)
    for name in lowest.stored.column_names:
        is_typed = name in lowest.typed.column_names and not is_text
        if name not in first:
            cells = lowest.typed[name] if is_typed else lowest.stored[name]
            answer = answer.append_column(name, cells)
    return answer


@dataclass
class Lowest:
    """The rows of lowest score so far, lowest first; rows count from 0, as in Python."""

    number: int
    n_rows: int = 0
    rows: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    typed: ArrowTable = None
    stored: ArrowTable = None

    def add(self, batch: Batch, scores: Floats) -> None:
        """Keep the lowest of what is kept and a batch."""
        import pyarrow as pa  # noqa: PLC0415

        rows = [*self.rows, *range(self.n_rows, self.n_rows + scores.size)]
        all_scores = [*self.scores, *scores.tolist()]
        before = [] if self.typed is None else [(self.typed, self.stored)]
        tables = [*before, (batch.table, batch.stored)]
        order = sorted(range(len(rows)), key=all_scores.__getitem__)[: self.number]
        self.typed, self.stored = (
            pa.concat_tables(parts).take(pa.array(order, pa.int64()))
            for parts in zip(*tables, strict=True)
        )
        self.rows, self.scores = [rows[i] for i in order], [all_scores[i] for i in order]
        self.n_rows += scores.size


def _reasons(row: dict[str, object], odd: dict[str, float]) -> str:
    """Return the most surprising cells of a row in words."""
    surprising = sorted(
        ((surprise, name) for name, surprise in odd.items() if surprise > _SURPRISING),
        reverse=True,
    )
    shown = [
        f"{name}={_cell(row[name])} ({_surprise(surprise)})"
        for surprise, name in surprising[:_REASONS]
    ]
    return ", ".join(shown) or "no single cell"


def _surprise(nats: float) -> str:
    return "impossible" if math.isinf(nats) else f"+{nats:.1f}"


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
