"""The interface of table files: names, typed batches of rows, and rows with their cells filled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from softlearn.files.arrow import ArrowTable
from softlearn.table import Schema


class Batch(NamedTuple):
    """Some rows of a file.

    Attributes
    ----------
    table
        The rows with the types that their columns have in a schema.
    stored
        The same rows as the file holds them; text, if the file is text.
    share
        The part of the file that has been read, from 0 to 1; None if its size is unknown.
    """

    table: ArrowTable
    stored: ArrowTable
    share: float | None


@dataclass
class TableSource(ABC):
    """A table in a file, read from front to back, once.

    Attributes
    ----------
    label
        What messages call it.
    names
        Its columns.
    """

    label: str
    names: tuple[str, ...]

    @abstractmethod
    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the rows, typed as a schema says; further columns are left out of ``table``."""

    @abstractmethod
    def read_all(self, text_columns: Collection[str] = ()) -> ArrowTable:
        """Return the whole table, with types that are guessed from all cells if it is text.

        Parameters
        ----------
        text_columns : collection of str
            Columns of a text file that stay text, also if they look like numbers.
        """

    def typed(self, batch: Batch, table: ArrowTable) -> ArrowTable:
        """Return the stored rows of a batch with the columns of a typed table in their places."""
        stored = batch.stored
        for name in table.column_names:
            stored = stored.set_column(stored.schema.get_field_index(name), name, table[name])
        return stored

    @abstractmethod
    def filled(self, batch: Batch, table: ArrowTable, schema: Schema) -> ArrowTable:
        """Return the stored rows of a batch with missing cells taken from a filled table."""
