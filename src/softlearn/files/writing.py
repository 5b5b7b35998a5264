"""Write tables batch by batch; files are written atomically."""

from __future__ import annotations

import csv
import gzip
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from softlearn.errors import TableError
from softlearn.files.arrow import ArrowColumn, ArrowTable, pyarrow
from softlearn.files.respelling import decimal_text
from softlearn.whole_files import whole_file


class TableWriter:
    """Writes a table to a file, in the format that its name ends in; use it in a ``with``.

    Parameters
    ----------
    path : Path
        Where to write; the folder must exist. An existing file is replaced when all rows are
        written, and stays as it is if anything fails.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sink_for = _sink_for(path)
        if path.is_dir():
            raise TableError(f"cannot write {path}: it is a folder; name a file in it")
        if not path.parent.is_dir():
            raise TableError(f"cannot write {path}: the folder {path.parent} does not exist")
        self._file = whole_file(path)
        self._sink: _Sink | None = None

    def __enter__(self) -> Self:
        self._temporary = self._file.__enter__()
        return self

    def write(self, table: ArrowTable) -> None:
        """Add rows; the first batch decides the columns."""
        if self._sink is None:
            try:
                self._sink = self._sink_for(self._temporary, table)
            except OSError as error:
                raise TableError(f"cannot write {self.path}: {error.strerror}") from None
        try:
            self._sink.write(table)
        except pyarrow().ArrowException as error:
            raise TableError(f"cannot write {self.path}: {error}") from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._sink is not None:
                self._sink.close()
        except BaseException as failure:
            self._file.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._file.__exit__(kind, error, trace)


def is_text_file(path: Path) -> bool:
    """Return whether a file of this name holds all cells as text."""
    sink = _sink_for(path)
    return isinstance(sink, type) and issubclass(sink, _TextSink)


def write_csv(stream: TextIO, table: ArrowTable, *, header: bool, delimiter: str = ",") -> None:
    """Write rows as CSV, with quotes only where they are needed.

    pyarrow's own writer is faster, but puts every text into quotes.
    """
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(table.column_names)
    columns = [_as_text(table[name]).to_pylist() for name in table.column_names]
    writer.writerows(zip(*columns, strict=True))


def _as_text(column: ArrowColumn) -> ArrowColumn:
    pa = pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return decimal_text(column) if pa.types.is_floating(column.type) else column.cast(pa.string())


class _Sink(ABC):
    """A writer of batches in one format."""

    def __init__(self, path: Path, table: ArrowTable) -> None:
        self.path, self.schema = path, table.schema

    @abstractmethod
    def write(self, table: ArrowTable) -> None:
        """Add rows."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


class _TextSink(_Sink):
    delimiter = ","

    def __init__(self, path: Path, table: ArrowTable) -> None:
        super().__init__(path, table)
        self._stream = self._open()
        self._is_first = True

    def _open(self) -> TextIO:
        return self.path.open("x", encoding="utf-8", newline="")

    def write(self, table: ArrowTable) -> None:
        write_csv(self._stream, table, header=self._is_first, delimiter=self.delimiter)
        self._is_first = False

    def close(self) -> None:
        self._stream.close()


class _TabSink(_TextSink):
    delimiter = "\t"


class _GzipSink(_TextSink):
    def _open(self) -> TextIO:
        return gzip.open(self.path, "xt", 6, encoding="utf-8", newline="")


class _GzipTabSink(_GzipSink):
    delimiter = "\t"


class _ParquetSink(_Sink):
    def __init__(self, path: Path, table: ArrowTable) -> None:
        super().__init__(path, table)
        self._writer = pyarrow().parquet.ParquetWriter(path, self.schema)

    def write(self, table: ArrowTable) -> None:
        self._writer.write_table(table.cast(self.schema))

    def close(self) -> None:
        self._writer.close()


class _FeatherSink(_Sink):
    """Keeps all rows until the end: the dictionaries of a Feather file must be known first."""

    def __init__(self, path: Path, table: ArrowTable) -> None:
        super().__init__(path, table)
        self._parts: list[ArrowTable] = []

    def write(self, table: ArrowTable) -> None:
        self._parts.append(table.cast(self.schema))

    def close(self) -> None:
        pa = pyarrow()
        whole = pa.concat_tables(self._parts).unify_dictionaries().combine_chunks()
        pa.feather.write_feather(whole, str(self.path))


EXTENSIONS: Final[dict[str, Callable[[Path, ArrowTable], _Sink]]] = {
    ".csv": _TextSink,
    ".tsv": _TabSink,
    ".csv.gz": _GzipSink,
    ".tsv.gz": _GzipTabSink,
    ".parquet": _ParquetSink,
    ".feather": _FeatherSink,
}


def _sink_for(path: Path) -> Callable[[Path, ArrowTable], _Sink]:
    """Return the writer for the end of a name; the longest end that fits."""
    for extension in sorted(EXTENSIONS, key=len, reverse=True):
        if path.name.lower().endswith(extension):
            return EXTENSIONS[extension]
    known = ", ".join(EXTENSIONS)
    raise TableError(f"cannot tell the format of {path} by its name; it may end in {known}")
