"""Open a table file; its format is recognised by its first bytes, not by its name."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from softlearn.errors import TableError
from softlearn.files.arrow import pyarrow
from softlearn.files.reading_text import MISSING_WORDS
from softlearn.files.source import TableSource
from softlearn.files.text_source import TextSource
from softlearn.files.typed_source import TypedSource

STANDARD_INPUT = "-"

_GZIP, _PARQUET, _FEATHER = b"\x1f\x8b", b"PAR1", b"ARROW1"
_STRANGERS = {
    b"PK": "a zip archive or spreadsheet; save the sheet as CSV",
    b"FEA1": "a Feather file of version 1; write it again with a current pyarrow",
    b"SQLite": "a database; export the table as CSV",
    b"%PDF": "a PDF",
}


@contextmanager
def open_table(
    path: str | os.PathLike[str], *, missing: Collection[str] = MISSING_WORDS
) -> Iterator[TableSource]:
    """Open a table in a CSV, TSV (also gzipped), Parquet or Feather file.

    Parameters
    ----------
    path : path, or "-" for standard input
        The file.
    missing : collection of str
        The words that stand for a missing cell in a text file; an empty cell always does.
    """
    if os.fspath(path) == STANDARD_INPUT:
        if getattr(sys.stdin, "closed", sys.stdin is None):
            raise TableError("cannot read standard input: it is closed")
        yield _source("standard input", sys.stdin.buffer, None, missing)
        return
    file = Path(path)
    if file.is_dir():
        raise TableError(f"cannot read {file}: it is a folder")
    try:
        stream = file.open("rb")
    except OSError as error:
        raise TableError(f"cannot read {file}: {error.strerror or error}") from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        yield _source(str(file), stream, size or None, missing)


def _source(
    label: str, stream: BinaryIO, size: int | None, missing: Collection[str]
) -> TableSource:
    """Return the reader for the format of the bytes."""
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(cast(io.RawIOBase, stream))
    try:
        start = buffered.peek(8)[:8]
    except OSError as error:
        raise TableError(f"cannot read {label}: {error.strerror or error}") from None
    for magic, what in _STRANGERS.items():
        if start.startswith(magic):
            raise TableError(f"cannot read {label}: it is {what}")
    if start.startswith((_PARQUET, _FEATHER)):
        return _typed(label, buffered, is_parquet=start.startswith(_PARQUET))
    if not start.startswith(_GZIP):
        return TextSource.open(label, buffered, buffered, size, missing)
    unpacked = cast(
        BinaryIO, io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=buffered)))
    )
    return TextSource.open(label, unpacked, buffered, size, missing)


def _typed(label: str, stream: BinaryIO, *, is_parquet: bool) -> TypedSource:
    pa = pyarrow()
    content = stream if stream.seekable() else io.BytesIO(stream.read())
    try:
        opened = pa.parquet.ParquetFile(content) if is_parquet else pa.ipc.open_file(content)
        return TypedSource.open(label, opened)
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"cannot read {label}: {error}") from None
