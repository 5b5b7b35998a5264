"""An append-only file with a row for each finished cell."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path

from softlearn.errors import SoftlearnError
from softlearn.experiments.cell import Cell, Row, cell_of


class Ledger:
    """A file of JSON lines, to which rows are only ever added.

    A process that is killed while it writes leaves at most one line without its end. That line is
    passed over when reading, and cut off before the next row is added.

    Rows of earlier runs may lie beside it, compressed (``rows.jsonl.gz``); they come first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive = path.with_name(f"{path.name}.gz")

    def rows(self) -> list[Row]:
        """Return the rows in the order in which they were added, one per cell."""
        return list(self.by_cell().values())

    def by_cell(self) -> dict[Cell, Row]:
        """Return the first row of each cell."""
        found: dict[Cell, Row] = {}
        for path, content in ((self.archive, self._archived()), (self.path, self._content())):
            for number, line in enumerate(content.split(b"\n")[:-1], start=1):
                try:
                    row = json.loads(line)
                    found.setdefault(cell_of(row), row)
                except (ValueError, TypeError, AttributeError) as error:
                    raise SoftlearnError(
                        f"{path}, line {number}: not the row of a cell ({error}); remove the line"
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

    def _archived(self) -> bytes:
        if not self.archive.exists():
            return b""
        try:
            return gzip.decompress(self.archive.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise SoftlearnError(f"{self.archive} cannot be unpacked: {error}") from error

    def _cut_torn_end(self) -> None:
        content = self._content()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
