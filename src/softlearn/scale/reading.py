"""Read the files of a table as its partitions: row groups of Parquet files, whole text files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import dask

from softlearn.errors import TableError
from softlearn.files import MISSING_WORDS, find_files, open_table
from softlearn.files.reading_text import suiting, typed_as
from softlearn.files.text_source import TextSource
from softlearn.scale.cluster import PARTS_IN_MEMORY, current_client, room_on
from softlearn.scale.partitions import Delayed, Partitions, Unread
from softlearn.table.schema import unknown_name

ArrowTable: TypeAlias = Any  # pyarrow has no types
Suits: TypeAlias = dict[str, frozenset[int] | None]  # the types that fit each column of a file

PART_BYTES = 64_000_000  # the size of a part if memory allows, as stored or as numbers
_PARQUET = b"PAR1"
_BATCH_ROWS = 2**14  # rows per batch of a large row group
_BUFFER_BYTES = 2**20  # read buffer per column of a large row group


@dataclass(frozen=True)
class RowGroups(Unread):
    """Some row groups of a Parquet file, or one of several slices of them.

    Attributes
    ----------
    path
        The file.
    groups
        The numbers of the row groups.
    i, n_slices
        The number of this slice, from 0, and how many slices there are.
    left_out
        Columns not to read.
    only
        The only column to read; by default all that are not left out.
    """

    path: str
    groups: tuple[int, ...]
    i: int
    n_slices: int
    left_out: tuple[str, ...] = ()
    only: str | None = None

    def read(self) -> ArrowTable:
        """Return the rows; reading a slice takes memory for the slice and one batch only."""
        import pyarrow.parquet as pq  # noqa: PLC0415

        is_cut = self.n_slices > 1
        with pq.ParquetFile(self.path, buffer_size=_BUFFER_BYTES if is_cut else 0) as file:
            names = [name for name in file.schema_arrow.names if name not in self.left_out]
            names = [self.only] if self.only else names
            read = self._slice_of if is_cut else self._all_of
            table = read(file, names)
        return _without(table.replace_schema_metadata(None), self.left_out)

    def _all_of(self, file: Any, names: list[str]) -> ArrowTable:  # noqa: ANN401 - no types
        return file.read_row_groups(self.groups, columns=names)

    def _slice_of(self, file: Any, names: list[str]) -> ArrowTable:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        n_rows = sum(file.metadata.row_group(group).num_rows for group in self.groups)
        first, end = (k * n_rows // self.n_slices for k in (self.i, self.i + 1))
        batches, start = [], 0
        for batch in file.iter_batches(_BATCH_ROWS, self.groups, names, use_threads=False):
            wanted = max(first - start, 0), min(end - start, batch.num_rows)
            if wanted[0] < wanted[1]:
                batches.append(batch.slice(wanted[0], wanted[1] - wanted[0]))
            start += batch.num_rows
            if start >= end:
                break
        return pa.Table.from_batches(batches)


@dataclass(frozen=True)
class WeightColumn(Unread):
    """The weights of some rows, which are one of their columns."""

    rows: RowGroups
    name: str

    def read(self) -> Any:  # noqa: ANN401 - an array
        """Return the weights."""
        return _column(self.rows.read(), self.name)


def read_partitions(
    path: str,
    *,
    weights: str | None = None,
    drop: Sequence[str] = (),
    text_columns: Collection[str] = (),
    missing: Collection[str] | None = None,
    part_bytes: int | None = None,
) -> Partitions:
    """Return the partitions of a table in one or many files, to be read by workers.

    Parameters
    ----------
    path : str
        A file, a folder, or a pattern such as ``folder/*.parquet``. Parquet files are read by row
        groups. A text or Feather file is one partition; columns of text files get types that fit
        all files.
    weights : str, optional
        The column with the sample weights, which is removed from the table.
    drop : sequence of str
        Columns to leave out.
    text_columns, missing
        For text files: columns to read as text, and the words for missing cells, by default the
        usual ones such as NA.
    part_bytes : int, optional
        The approximate size of a partition of a Parquet file, as stored or as numbers; by default
        64 MB, or less if workers have little memory.
    """
    files = find_files(path)
    if len({_is_parquet(file) for file in files}) > 1:
        raise TableError(
            f"{path} matches Parquet and other files; all files of a table must have one format"
        )
    words = frozenset(MISSING_WORDS if missing is None else missing)
    left_out = {*drop, *([weights] if weights else [])}
    names = _names(files[0])
    for name in left_out:
        if name not in names:
            raise unknown_name(name, names)
    if _is_parquet(files[0]):
        return _parquet(files, part_bytes or _suiting_part(), tuple(sorted(left_out)), weights)
    tables, places = _whole_files(files, frozenset(text_columns), words)
    frames = tuple(dask.delayed(_without)(table, sorted(left_out)) for table in tables)
    if weights is None:
        return Partitions(frames, places)
    return Partitions(
        frames, places, tuple(dask.delayed(_column)(table, weights) for table in tables)
    )


def _suiting_part() -> int:
    """Return how many bytes a partition may have, given the memory of the workers."""
    client = current_client()
    room = None if client is None else room_on(client).bytes_per_thread
    return PART_BYTES if room is None else min(PART_BYTES, room // PARTS_IN_MEMORY)


def _is_parquet(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_PARQUET)) == _PARQUET
    except OSError as error:
        raise TableError(f"cannot read {file}: {error.strerror or error}") from None


def _names(file: Path) -> tuple[str, ...]:
    with open_table(file) as source:
        return source.names


def _parquet(
    files: Sequence[Path], part_bytes: int, left_out: tuple[str, ...], weights: str | None
) -> Partitions:
    """Return partitions of consecutive row groups."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    parts: list[RowGroups] = []
    places = []
    for file in files:
        try:
            about = pq.ParquetFile(file).metadata
        except (OSError, pa.ArrowException) as error:
            raise TableError(f"cannot read {file}: {error}") from None
        sizes = [_size_in_memory(about, i) for i in range(about.num_row_groups)]
        for groups in _together(sizes, part_bytes):
            named = f"{file}, row groups {groups[0]} to {groups[-1]}"
            named = str(file) if len(groups) == len(sizes) else named
            n_rows = sum(about.row_group(i).num_rows for i in groups)
            n_slices = min(n_rows, -(-sum(sizes[i] for i in groups) // part_bytes))
            for i in range(n_slices):
                parts.append(RowGroups(str(file), tuple(groups), i, n_slices, left_out))
                of_several = f", part {i + 1} of {n_slices}" if n_slices > 1 else ""
                places.append(named + of_several)
    if not parts:
        raise TableError(f"{files[0]} has no rows")
    if weights is None:
        return Partitions(tuple(parts), tuple(places))
    columns = tuple(
        WeightColumn(replace(part, left_out=(), only=weights), weights) for part in parts
    )
    return Partitions(tuple(parts), tuple(places), columns)


def _size_in_memory(about: Any, group: int) -> int:  # noqa: ANN401 - pyarrow has no types
    """Return about how many bytes a row group takes, as stored or as numbers."""
    rows = about.row_group(group)
    return int(max(rows.total_byte_size, 8 * rows.num_rows * rows.num_columns))


def _together(sizes: Sequence[int], most: int) -> list[list[int]]:
    """Group consecutive indices such that the sizes of a group add to ``most`` at most.

    A larger one is a group by itself.
    """
    groups: list[list[int]] = []
    size = most
    for number, own in enumerate(sizes):
        if size + own > most:
            groups.append([])
            size = 0
        groups[-1].append(number)
        size += own
    return groups


def _whole_files(
    files: Sequence[Path], text_columns: frozenset[str], missing: frozenset[str]
) -> tuple[list[Delayed], tuple[str, ...]]:
    """Return one delayed table per file, with column types that fit all files."""
    paths = [str(file) for file in files]
    found = dask.compute(*(dask.delayed(_suits)(path, text_columns, missing) for path in paths))
    suits = _that_suit_all(found)
    tables = [dask.delayed(_typed)(path, suits, missing) for path in paths]
    return tables, tuple(paths)


def _that_suit_all(files: Sequence[Suits]) -> Suits:
    """Return the types that fit each column in all files with cells in it."""
    suits: Suits = {}
    for found in files:
        for name, own in found.items():
            known = suits.get(name)
            suits[name] = own if known is None else known if own is None else known & own
    return suits


def _suits(path: str, text_columns: frozenset[str], missing: frozenset[str]) -> Suits:
    """Return the types that fit the columns of a text file; nothing for files that store types."""
    text = _read(path, missing)
    with open_table(path) as source:
        if not isinstance(source, TextSource):
            return {}
    return {
        name: frozenset() if name in text_columns else suiting(text[name])
        for name in text.column_names
    }


def _typed(path: str, suits: Suits, missing: frozenset[str]) -> ArrowTable:
    table = _read(path, missing)
    for place, name in enumerate(table.column_names):
        if name in suits:
            table = table.set_column(place, name, typed_as(table[name], suits[name]))
    return table


def _read(path: str, missing: frozenset[str]) -> ArrowTable:
    """Return the table of a file; the columns of a text file are text, with missing cells."""
    with open_table(path, missing=missing) as source:
        return source.read_all(source.names)


def _without(table: ArrowTable, names: Sequence[str]) -> ArrowTable:
    """Return the table without some columns, and without an index, a column with no name."""
    gone = [name for name in table.column_names if name in names or not name]
    return table.drop_columns(gone)


def _column(table: ArrowTable, name: str) -> Any:  # noqa: ANN401 - an array
    column = table[name]
    if column.null_count:
        raise TableError(f"column {name!r} must have a weight in every row, but cells are missing")
    return column.to_numpy()
