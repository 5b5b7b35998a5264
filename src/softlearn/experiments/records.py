"""Automatic search on each binary set, beside the best published results.

All sets use the same call: models are learnt from the training split and selected on the validation
split, and the test split is read once, for the final model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from softlearn.datasets import DEBD_NAMES, Splits, info, load_debd
from softlearn.estimators import AutoCircuit
from softlearn.experiments.cell import Cell, Row
from softlearn.experiments.choices import Choices
from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table
from softlearn.experiments.experiment import Experiment
from softlearn.experiments.published import Record, records
from softlearn.experiments.summaries import groups, in_order, shown, spread
from softlearn.show.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS: Final = 3
SECONDS: Final = 300.0
QUICK_SECONDS: Final = 5.0


def cells(choices: Choices) -> list[Cell]:
    """Return one search for each data set and seed."""
    seconds = choices.time_budget or (QUICK_SECONDS if choices.quick else SECONDS)
    return [
        Cell(
            dataset=dataset,
            system="auto",
            time_budget=seconds,
            max_rows=choices.max_rows,
            seed=seed,
        )
        for dataset in choices.datasets(DEBD_NAMES)
        for seed in choices.seeds_or(SEEDS)
    ]


def measure(cell: Cell) -> Mapping[str, Any]:
    """Search by the training and the validation split, then score the test split."""
    return measured(cell, load_debd(cell.dataset))


def measured(cell: Cell, splits: Splits) -> Mapping[str, Any]:
    """Return the scores of a search; the test split is only read after it has ended."""
    started, cpu = perf_counter(), process_time()
    search = AutoCircuit(cell.time_budget, random_state=cell.seed, n_jobs=1)
    search.fit(splits.train[: cell.max_rows], valid=splits.valid)
    seconds, cpu = perf_counter() - started, process_time() - cpu
    report, circuit = search.report_, search.model_.circuit
    test = splits.test
    scoring = perf_counter()
    scores = search.score_samples(test)
    return {
        "valid": report.score,
        "test": float(scores.mean()),
        "test_error": float(scores.std(ddof=1) / np.sqrt(scores.size)),
        "seconds": seconds,
        "cpu_seconds": cpu,
        "members": report.n_members,
        "fits": len(report.table),
        "nodes": circuit.n_nodes,
        "edges": circuit.n_edges,
        "rows_per_second": scores.size / (perf_counter() - scoring),
    }


def cost(cell: Cell) -> float:
    """Return the seconds that a search may take, and a little more for large tables."""
    about = info(cell.dataset)
    return (cell.time_budget or SECONDS) + about.splits["test"] * about.columns / 1_000_000


def document(rows: Sequence[Row]) -> Document:
    """Return the table, the count and the picture; searches of different lengths stand apart."""
    tables = [
        _table(f"Searches of {seconds:g} seconds", own)
        for (seconds,), own in sorted(groups(rows, "time_budget").items())
    ]
    longest = max(row["time_budget"] for row in rows)
    shown_rows = [row for row in rows if row["time_budget"] == longest]
    blocks: list[Block] = [
        Paragraph(
            "Mean log-likelihood of a row of the test split in nats, higher is better: mean ± "
            "standard deviation over seeds, and the standard error of the mean over rows. "
            "`AutoCircuit` is called in the same way for all sets; it learns from the training "
            "split, chooses by the validation split, and the test split is read once, at the end. "
            "Models that answer no question but likelihood, and neural ones, are for information. "
            "A search is bounded by time; where other work ran beside it, it had less CPU "
            "time than that."
        ),
        *tables,
        Picture(
            "records",
            f"Test log-likelihood after searches of {longest:g} seconds, less the best published "
            "tractable figure, in per cent of it; right of the line is better. Blue points are at "
            "least the published figure, to the decimals that it is printed with.",
            lambda: _draw(shown_rows),
        ),
    ]
    return Document("The best model by itself", blocks)


def reached(mean: float, record: Record) -> bool:
    """Return whether a score is at least the published one, to the decimals that it has."""
    return round(mean, record.decimals) >= record.tractable


def _table(title: str, rows: Sequence[Row]) -> Table:
    head = ["data set", "ours", "error", "tractable", "by", "likelihood only", "neural"]
    head += ["seconds", "CPU s", "members", "nodes", "rows/s"]
    body, n_reached = [], 0
    datasets = in_order(rows, DEBD_NAMES)
    for dataset in datasets:
        own = [row for row in rows if row["dataset"] == dataset]
        record, ours = records()[dataset], spread(own, "test")
        is_reached = reached(ours.mean, record)
        n_reached += is_reached
        means = {
            name: spread(own, name).mean
            for name in ("seconds", "cpu_seconds", "members", "nodes", "rows_per_second")
        }
        body.append(
            [
                dataset,
                f"**{ours}**" if is_reached else str(ours),
                shown(spread(own, "test_error").mean),
                f"{record.tractable:.{record.decimals}f}",
                record.system,
                shown(record.likelihood_only),
                shown(record.neural),
                *(f"{value:,.0f}" for value in means.values()),
            ]
        )
    seeds = ", ".join(str(seed) for seed in sorted({row["seed"] for row in rows}))
    note = (
        f"At least the best published tractable figure on {n_reached} of {len(datasets)} sets. "
        f"Run so far: {len(datasets)} of the {len(DEBD_NAMES)} sets, seeds {seeds}."
    )
    return Table(title, head, body, note)


def _draw(rows: Sequence[Row]) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    datasets = in_order(rows, DEBD_NAMES)
    figure = Figure(figsize=(7.2, 1.2 + 0.25 * len(datasets)), layout="constrained")
    ax = figure.add_subplot()
    style.quiet(ax, grid="x")
    for place, dataset in enumerate(datasets):
        record = records()[dataset]
        own = [row["test"] for row in rows if row["dataset"] == dataset]
        gains = [100.0 * (1.0 - value / record.tractable) for value in own]
        colour = style.MODEL if reached(float(np.mean(own)), record) else style.ALERT
        ax.plot(gains, [place] * len(gains), "o", color=colour, markersize=4)
    ax.axvline(0.0, color=style.QUIET, linewidth=1.0)
    ax.set_yticks(range(len(datasets)), datasets)
    ax.invert_yaxis()
    ax.set_xlabel("difference to the best published, per cent", fontsize=style.NORMAL)
    return figure


RECORDS: Final = Experiment(
    name="records", cells=cells, measure=measure, cost=cost, document=document
)
