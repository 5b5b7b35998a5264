"""Parquet and Feather files, whose columns have types."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Self

from softlearn.errors import TableError
from softlearn.files.arrow import ArrowTable, pyarrow
from softlearn.files.source import Batch, TableSource
from softlearn.table import Schema

_BATCH_ROWS = 65_536


@dataclass
class TypedSource(TableSource):
    """A Parquet or Feather file."""

    opened: Any  # a ParquetFile, or a reader of record batches

    @classmethod
    def open(cls, label: str, opened: Any) -> Self:  # noqa: ANN401 - pyarrow has no types
        """Return the source of an opened file."""
        is_parquet = hasattr(opened, "schema_arrow")
        schema = opened.schema_arrow if is_parquet else opened.schema
        return cls(label, tuple(schema.names), opened)

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the rows; the types are those of the file."""
        known = [name for name in self.names if name in schema.names]
        for stored, share in self._stored():
            yield Batch(stored.select(known), stored, share)

    def read_all(self, text_columns: Collection[str] = ()) -> ArrowTable:
        """Return the whole table."""
        with self._reading():
            whole = self.opened.read() if hasattr(self.opened, "read") else self.opened.read_all()
        return whole.replace_schema_metadata(None)

    def filled(self, batch: Batch, table: ArrowTable, schema: Schema) -> ArrowTable:
        """Return the stored rows with the columns of the filled table in their places."""
        return self.typed(batch, table)

    def _stored(self) -> Iterator[tuple[ArrowTable, float]]:
        pa = pyarrow()
        with self._reading():
            if hasattr(self.opened, "iter_batches"):
                total, done = max(self.opened.metadata.num_rows, 1), 0
                for batch in self.opened.iter_batches(batch_size=_BATCH_ROWS):
                    done += batch.num_rows
                    yield pa.Table.from_batches([batch]), done / total
                return
            total = self.opened.num_record_batches
            for number in range(total):
                batch = self.opened.get_batch(number)
                yield pa.Table.from_batches([batch]), (number + 1) / total

    def _reading(self) -> _Naming:
        return _Naming(self.label)


@dataclass
class _Naming:
    """Converts pyarrow's errors about damaged pages into one that names the file."""

    label: str

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pyarrow().ArrowException):
            raise TableError(f"cannot read {self.label}: {error}") from None
