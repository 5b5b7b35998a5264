"""The definition of an experiment: its cells, their measurement, and the document of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from softlearn.experiments.cell import Cell, Row
from softlearn.experiments.choices import QUICK_ROWS, Choices
from softlearn.experiments.document import Block, Document, Paragraph, Picture
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.markdown import as_markdown
from softlearn.experiments.running import run
from softlearn.whole_files import write_whole

QUICK = "-quick"  # at the end of the names of the files of a quick run


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One result of the paper, or one of ours.

    Attributes
    ----------
    name
        As in ``softlearn reproduce <name>``.
    cells
        The cells to run.
    measure
        Runs one cell, maybe in another process: a function of a module.
    cost
        About how long a cell takes, in any unit.
    document
        Makes the document from the rows, of which there is at least one.
    """

    name: str
    cells: Callable[[Choices], Sequence[Cell]]
    measure: Callable[[Cell], Mapping[str, Any]]
    cost: Callable[[Cell], float]
    document: Callable[[Sequence[Row]], Document]


class Produced(NamedTuple):
    """The result of a run."""

    n_run: int  # cells
    n_rows: int  # in the ledger, with those of earlier runs
    document: Document
    files: tuple[Path, ...]


def reproduce(
    experiment: Experiment,
    choices: Choices,
    out: Path,
    *,
    n_jobs: int = 1,
    cluster: str | None = None,
) -> Produced:
    """Run what is not finished, and write the table and the pictures of all rows there are.

    Parameters
    ----------
    experiment
        What to run.
    choices
        Which part of it.
    out
        The folder of the rows ``<name>.jsonl``, the table ``<name>.md`` and the pictures.
    n_jobs
        How many cells are run at a time, each in a process of its own.
    cluster
        The address of a Dask scheduler whose workers run them instead.
    """
    stem = experiment.name + (QUICK if choices.quick else "")
    ledger = Ledger(out / f"{stem}.jsonl")
    cells = experiment.cells(choices)
    n_run = run(
        cells,
        experiment.measure,
        ledger,
        cost=experiment.cost,
        n_jobs=n_jobs,
        cluster=cluster,
    )
    rows = ledger.rows()
    document = document_of(experiment, rows, quick=choices.quick)
    page = out / f"{stem}.md"
    write_whole(page, as_markdown(document).encode())
    files = [ledger.path, page, *write_pictures(document, out)]
    return Produced(n_run, len(rows), document, tuple(files))


def write_pictures(document: Document, out: Path) -> list[Path]:
    """Draw a document's pictures beside its page."""
    paths = [out / f"{picture.name}.png" for picture in document.pictures]
    for picture, path in zip(document.pictures, paths, strict=True):
        write_whole(path, picture.png())
    return paths


def document_of(experiment: Experiment, rows: Sequence[Row], *, quick: bool) -> Document:
    """Return the document of some rows; that of a quick run is marked as such."""
    found = experiment.document(rows)
    made_by = Paragraph(_made_by(experiment.name, rows, quick=quick))
    blocks = [*found.blocks, made_by]
    if not quick:
        return Document(found.title, blocks)
    warning = Paragraph(
        f"**A quick run**, learnt from at most {QUICK_ROWS:,} rows: its figures only show that all "
        "works."
    )
    return Document(f"{found.title} (quick)", [warning, *map(_quick_picture, blocks)])


def _made_by(name: str, rows: Sequence[Row], *, quick: bool) -> str:
    versions = " and ".join(sorted({row["version"] for row in rows}))
    dates = sorted(row["date"][:10] for row in rows)
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    command = f"softlearn reproduce {name}{' --quick' if quick else ''}"
    return f"Made by `{command}`: {len(rows):,} cells, softlearn {versions}, {when}."


def _quick_picture(block: Block) -> Block:
    return replace(block, name=block.name + QUICK) if isinstance(block, Picture) else block
