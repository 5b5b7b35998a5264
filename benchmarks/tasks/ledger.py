"""The rows of finished cells, a line of JSON each: a run that was broken off goes on from there."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.tasks.catalogue import Cell
from benchmarks.tasks.measured import Measured
from benchmarks.tasks.split import Split

Row = dict[str, Any]


class Ledger:
    """A file to which rows are only ever added; without a path they are kept for this run."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows = {} if path is None else _read(path)

    def __contains__(self, cell: Cell) -> bool:
        """Whether the cell has figures; one that could not be run may be tried again."""
        return "figures" in self._rows.get(cell, {})

    def rows(self, cells: list[Cell]) -> list[Row]:
        """Return the rows of those cells that have one."""
        return [self._rows[cell] for cell in cells if cell in self._rows]

    def add(self, cell: Cell, row: Row) -> None:
        """Keep the row of a cell."""
        self._rows[cell] = row
        if self._path is not None:
            report.append(self._path, [row])


def row_of(cell: Cell, split: Split, measured: Measured) -> Row:
    """Return what is written down of a finished cell; JSON has no infinity, so it is a word."""
    told = {k: v if math.isfinite(v) else str(v) for k, v in measured.figures.items()}
    return {
        **asdict(cell),
        "figures": told,
        "fit_seconds": round(measured.fit_seconds, 4),
        "answer_seconds": round(measured.answer_seconds, 4),
        "n_train": len(split.train),
        "n_test": len(split.test),
    }


def row_not_run(cell: Cell, reason: str) -> Row:
    """Return what is written down of a cell without figures."""
    return {**asdict(cell), "not_run": reason}


def _read(path: Path) -> dict[Cell, Row]:
    """Return the last row of each cell; a line without its end is cut off."""
    content = path.read_bytes() if path.exists() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    found: dict[Cell, Row] = {}
    for line in content[:whole].splitlines():
        row = json.loads(line)
        found[Cell(**{field.name: row[field.name] for field in fields(Cell)})] = row
    return found
