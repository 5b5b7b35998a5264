"""The rows of finished cells in one file, a line each: what is written there is never lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

from softlearn.errors import SoftlearnError
from softlearn.experiments.cell import Cell, Row, cell_of


class Ledger:
    """A file of JSON lines, to which rows are only ever added.

    A process that is killed while it writes leaves at most one line without its end. That line is
    passed over when reading, and cut off before the next row is added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[Row]:
        """Return the rows in the order in which they were added, one a cell."""
        return list(self.by_cell().values())

    def by_cell(self) -> dict[Cell, Row]:
        """Return the first row of each cell."""
        found: dict[Cell, Row] = {}
        for number, line in enumerate(self._whole_lines(), start=1):
            try:
                row = json.loads(line)
                found.setdefault(cell_of(row), row)
            except (ValueError, TypeError, AttributeError) as error:
                raise SoftlearnError(
                    f"{self.path}, line {number}: not the row of a cell ({error}); remove the line"
                    ", and its cell is run again"
                ) from error
        return found

    def append(self, row: Row) -> None:
        """Add a row; when this returns, it is on the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            self._cut_torn_end()
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _content(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def _whole_lines(self) -> list[bytes]:
        *lines, _torn = self._content().split(b"\n")
        return lines

    def _cut_torn_end(self) -> None:
        content = self._content()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
