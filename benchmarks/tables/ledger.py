"""The rows of finished cases, a line of JSON each: a run that was broken off goes on from there."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.tables.one_case import Case

Row = dict[str, Any]


class Ledger:
    """A file to which rows are only ever added; the last row of a case counts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows = _read(path)

    def __contains__(self, case: Case) -> bool:
        """Whether the case has figures; one that failed may be tried again."""
        return "figures" in self._rows.get(case, {})

    def rows(self) -> list[Row]:
        """Return the rows that have figures."""
        return [row for row in self._rows.values() if "figures" in row]

    def add(self, case: Case, row: Row) -> None:
        """Keep the row of a case."""
        self._rows[case] = row
        report.append(self._path, [row])


def failed(case: Case, reason: str) -> Row:
    """Return what is written down of a case without figures."""
    return {**asdict(case), "failed": reason}


def _read(path: Path) -> dict[Case, Row]:
    """Return the last row of each case; a line without its end is cut off."""
    content = path.read_bytes() if path.exists() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    found: dict[Case, Row] = {}
    for line in content[:whole].splitlines():
        row = json.loads(line)
        found[Case(**{field.name: row[field.name] for field in fields(Case)})] = row
    return found
