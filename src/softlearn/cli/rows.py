"""Write tables to a file, to a pipe as CSV or JSON lines, or to the terminal."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softlearn.cli.answers import as_json_text, count, must_be_free

if TYPE_CHECKING:
    from softlearn.files import TableWriter

STANDARD_OUTPUT = Path("-")
_SHOWN_ROWS = 10
_CELL_WIDTH = 24  # letters; longer text is cut


def goes_to_file(output: Path | None) -> bool:
    """Return whether rows are written to a file, and not to standard output."""
    return output is not None and output != STANDARD_OUTPUT


@dataclass
class RowsOut(ABC):
    """Where rows go; ``n_rows`` counts them."""

    n_rows: int = 0

    def write(self, table: Any) -> None:  # noqa: ANN401 - a pyarrow Table
        """Add rows."""
        self._write(table)
        self.n_rows += table.num_rows

    def finish(self) -> None:  # noqa: B027 - most have printed everything by then
        """Print the remaining output."""

    @abstractmethod
    def _write(self, table: Any) -> None: ...  # noqa: ANN401


@contextmanager
def rows_out(
    output: Path | None, *, force: bool, as_json: bool, as_report: bool = False
) -> Iterator[RowsOut]:
    """Yield where rows go: a file, JSON lines, CSV, or the first of them in the terminal.

    A report is short: the terminal shows all its rows, and wraps long cells.
    """
    if output is not None and goes_to_file(output):
        from softlearn.files import TableWriter  # noqa: PLC0415

        must_be_free(output, force=force)
        with TableWriter(output) as writer:
            yield _ToFile(writer=writer)
        return
    rows: RowsOut
    if as_json:
        rows = _AsJsonLines()
    elif output is None and sys.stdout.isatty():
        rows = _AsReport() if as_report else _OnScreen()
    else:
        rows = _AsCsv()
    yield rows
    rows.finish()


@dataclass(kw_only=True)
class _ToFile(RowsOut):
    writer: TableWriter

    def _write(self, table: Any) -> None:  # noqa: ANN401
        self.writer.write(table)


@dataclass
class _AsJsonLines(RowsOut):
    def _write(self, table: Any) -> None:  # noqa: ANN401
        sys.stdout.writelines(f"{as_json_text(row)}\n" for row in table.to_pylist())


@dataclass
class _AsCsv(RowsOut):
    def _write(self, table: Any) -> None:  # noqa: ANN401
        from softlearn.files import write_csv  # noqa: PLC0415

        write_csv(sys.stdout, table, header=not self.n_rows)


@dataclass
class _OnScreen(RowsOut):
    """Keeps the first rows, and shows as many of their columns as the terminal is wide."""

    head: list[dict[str, object]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def _write(self, table: Any) -> None:  # noqa: ANN401
        self.names = list(table.column_names)
        self.head += table.slice(0, _SHOWN_ROWS - len(self.head)).to_pylist()

    def finish(self) -> None:
        from rich.console import Console  # noqa: PLC0415

        console = Console(highlight=False)
        console.print(screen_table(self.names, self.head, console.width))
        if self.n_rows > len(self.head):
            rest = self.n_rows - len(self.head)
            console.print(f"… {count(rest, 'more row')}; -o FILE keeps all of them", style="dim")


@dataclass
class _AsReport(RowsOut):
    """Shows all rows, and of them the columns that were computed, which stand first."""

    columns = 3

    def _write(self, table: Any) -> None:  # noqa: ANN401
        names = table.column_names[: self.columns]
        print_report(names, table.select(names).to_pylist())


def print_report(names: list[str], rows: list[dict[str, object]]) -> None:
    """Print a short table whose long cells wrap."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in names:
        justify: Any = "right" if _holds_numbers(name, rows) else "left"
        table.add_column(Text(name), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_shown(row[name])) for name in names))
    Console(highlight=False).print(table)


def screen_table(names: list[str], rows: list[dict[str, object]], width: int) -> Any:  # noqa: ANN401
    """Return a rich table; columns that do not fit are counted in the middle."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    cells = {name: [_shown(row[name]) for row in rows] for name in names}
    shown = _fitting({name: max(map(len, [name, *cells[name]])) for name in names}, width)
    table = Table(box=None, header_style="bold", pad_edge=False, show_edge=False)
    for name in shown:
        if name is None:
            hidden = len(names) - len(shown) + 1
            table.add_column(Text(f"… {hidden} more …", style="dim"), no_wrap=True)
            continue
        justify: Any = "right" if _holds_numbers(name, rows) else "left"
        table.add_column(Text(name), justify=justify, no_wrap=True, max_width=_CELL_WIDTH)
    for number in range(len(rows)):
        texts = ["" if name is None else cells[name][number] for name in shown]
        table.add_row(*(Text(text, overflow="ellipsis") for text in texts))
    return table


def _holds_numbers(name: str, rows: list[dict[str, object]]) -> bool:
    return all(isinstance(row[name], int | float | None) for row in rows)


def _fitting(widths: dict[str, int], width: int) -> list[str | None]:
    """Return the columns that fit: the first ones and the last, which is computed; None between."""
    taken = {name: min(letters, _CELL_WIDTH) + 2 for name, letters in widths.items()}
    names = list(widths)
    if sum(taken.values()) <= width:
        return [*names]
    room = width - len("… 999 more …  ") - taken[names[-1]]
    shown: list[str | None] = []
    for name in names[:-1]:
        room -= taken[name]
        if room < 0:
            break
        shown.append(name)
    return [*shown, None, names[-1]]


def _shown(cell: object) -> str:
    if cell is None or cell == "":
        return "·"
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return f"{cell:.6g}" if isinstance(cell, float) else " ".join(str(cell).split())
