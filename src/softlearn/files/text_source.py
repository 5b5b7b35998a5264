"""CSV and TSV files: cells are text until a schema, or the whole column, decides their type."""

from __future__ import annotations

import csv
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Self

from softlearn.errors import TableError
from softlearn.files.arrow import ArrowTable, pyarrow
from softlearn.files.reading_text import guessed, read_as, read_text
from softlearn.files.respelling import Spelling, respelt
from softlearn.files.source import Batch, TableSource
from softlearn.table import Schema

_BLOCK_BYTES = 1 << 22
_LONGEST_HEADER = 1 << 24
_MOST_COLUMNS = 100_000
_DELIMITERS = ",;\t|"  # on a tie, the first is used
_QUOTED = re.compile(r'"[^"]*"')
_ROW = re.compile(r"Row #(\d+)")


@dataclass
class TextSource(TableSource):
    """A text file with a header line; cells are read as text and trimmed, then typed."""

    content: BinaryIO  # behind the header
    progress: BinaryIO  # the share of the file that has been read
    size: int | None
    delimiter: str
    missing: frozenset[str]
    spellings: dict[str, Spelling] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        label: str,
        content: BinaryIO,
        progress: BinaryIO,
        size: int | None,
        missing: Collection[str],
    ) -> Self:
        """Read the header, which also shows the delimiter."""
        header = _header(label, content)
        delimiter = _delimiter(header)
        names = _names(label, header, delimiter)
        for name, count in Counter(names).items():
            if count > 1:
                raise TableError(
                    f"cannot read {label}: column {name!r} occurs more than once; rename one"
                )
        return cls(label, names, content, progress, size, delimiter, frozenset({"", *missing}))

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the rows; cells that a column cannot hold are refused with their row."""
        pa = pyarrow()
        known = [schema[name] for name in self.names if name in schema.names]
        row = 0
        for stored in self._stored():
            typed = {
                column.name: read_as(column, stored[column.name], self.missing, row)
                for column in known
            }
            row += stored.num_rows
            yield Batch(pa.table(typed), stored, self._share())

    def read_all(self, text_columns: Collection[str] = ()) -> ArrowTable:
        """Return the whole table; each column has the narrowest type that fits all its cells."""
        pa = pyarrow()
        whole = pa.concat_tables(self._stored())
        return pa.table(
            {
                name: read_text(whole[name], self.missing)
                if name in text_columns
                else guessed(whole[name], self.missing)
                for name in self.names
            }
        )

    def filled(self, batch: Batch, table: ArrowTable, schema: Schema) -> ArrowTable:
        """Return the text with filled cells spelt as their column is; all else stays verbatim."""
        stored = batch.stored
        for position, name in enumerate(stored.column_names):
            if name not in table.column_names:
                continue
            style = self.spellings.setdefault(name, Spelling(schema[name]))
            text = respelt(style, stored[name], batch.table[name], table[name])
            stored = stored.set_column(position, name, text)
        return stored

    def _stored(self) -> Iterator[ArrowTable]:
        pa = pyarrow()
        if not self.content.peek(1):  # type: ignore[attr-defined]
            yield pa.table({name: pa.array([], pa.string()) for name in self.names})
            return
        options = {
            # One thread, because only then do messages know the row.
            "read_options": pa.csv.ReadOptions(
                column_names=self.names, use_threads=False, block_size=_BLOCK_BYTES
            ),
            # In a table with one column an empty line is a missing cell.
            "parse_options": pa.csv.ParseOptions(
                delimiter=self.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(self.names) > 1,
            ),
            "convert_options": pa.csv.ConvertOptions(
                column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=False
            ),
        }
        try:
            for batch in pa.csv.open_csv(self.content, **options):
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
            raise TableError(f"cannot read {self.label}: {_in_words(str(error))}") from None

    def _share(self) -> float | None:
        return self.progress.tell() / self.size if self.size else None


def _header(label: str, content: BinaryIO) -> str:
    """Return the first record without its line end; quotes may hold line ends."""
    raw = b""
    try:
        while not raw or (raw.count(b'"') % 2 and len(raw) < _LONGEST_HEADER):
            line = content.readline(_LONGEST_HEADER)
            raw += line
            if not line:
                break
        header = raw.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise TableError(f"cannot read {label}: {_NOT_TEXT}") from None
    except (OSError, EOFError, zlib.error) as error:  # a broken gzip
        raise TableError(f"cannot read {label}: {error}") from None
    if "\0" in header:
        raise TableError(f"cannot read {label}: {_NOT_TEXT}")
    if not header.strip():
        raise TableError(f"cannot read {label}: it is empty; the first line names the columns")
    return header


def _names(label: str, header: str, delimiter: str) -> tuple[str, ...]:
    """Return the columns' names."""
    if "\r" in _QUOTED.sub("", header):
        raise TableError(
            f"cannot read {label}: its lines end in a carriage return alone, as on old Macs; "
            "convert it, for example by tr '\\r' '\\n'"
        )
    try:
        names = tuple(name.strip() for name in next(csv.reader([header], delimiter=delimiter)))
    except csv.Error as error:  # such as a name of more than 131,072 letters
        raise TableError(f"cannot read {label}: its first line, {error}") from None
    if len(names) > _MOST_COLUMNS:
        raise TableError(
            f"cannot read {label}: its first line names {len(names):,} columns, more than "
            f"{_MOST_COLUMNS:,}"
        )
    return names


def _delimiter(header: str) -> str:
    """Return the delimiter that stands most often in the header, outside of quotes."""
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


def _in_words(message: str) -> str:
    """Return the parser's message, with rows counted from 0 instead of 1."""
    if "invalid UTF8" in message:
        found = _ROW.search(message)
        return f"{_row(found)} is not UTF-8 text" if found else _NOT_TEXT
    text = message.removeprefix("CSV parse error: ")
    return _ROW.sub(_row, text).replace(": Expected", ": expected")


def _row(found: re.Match[str]) -> str:
    return f"row {int(found[1]) - 1} (the first is row 0)"


_NOT_TEXT = (
    "it is neither CSV or TSV in UTF-8, Parquet nor Feather; convert it, for example by "
    "iconv -f latin1 -t utf8"
)
