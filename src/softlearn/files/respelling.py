"""Write values in the same format as the other cells of a text column."""

from __future__ import annotations

from dataclasses import dataclass

from softlearn.files.arrow import ArrowColumn, pyarrow
from softlearn.files.reading_text import FALSE_WORDS, TRUE_WORDS
from softlearn.table import Column


@dataclass
class Spelling:
    """The format of a text column, taken from its first known cell."""

    column: Column
    example: str | None = None

    def learn(self, stored: ArrowColumn, known: ArrowColumn) -> None:
        """Remember the first known cell, unless one has been seen."""
        if self.example is None:
            row = pyarrow().compute.index(known.is_valid(), True).as_py()
            self.example = None if row < 0 else stored[row].as_py().strip()

    def written(self, values: ArrowColumn) -> ArrowColumn:
        """Return values as text."""
        pa = pyarrow()
        if pa.types.is_boolean(values.type):
            true, false = self._truths()
            return pa.compute.if_else(values, true, false)
        if pa.types.is_timestamp(values.type):
            return self._times(values)
        is_whole = self._is_whole()
        if pa.types.is_floating(values.type) and is_whole:
            values = values.cast(pa.int64())
        has_point = "." in (self.example or ("" if is_whole else "."))
        is_number = pa.types.is_floating(values.type) or is_whole
        return decimal_text(values) if is_number and has_point else values.cast(pa.string())

    def _is_whole(self) -> bool:
        levels = self.column.levels
        return self.column.kind == "integer" or (bool(levels) and isinstance(levels[0], int))

    def _truths(self) -> tuple[str, str]:
        """Return the words for true and false in the format of the example."""
        example = self.example or "true"
        words = TRUE_WORDS if example.lower() in TRUE_WORDS else FALSE_WORDS
        place = words.index(example.lower())
        true, false = TRUE_WORDS[place], FALSE_WORDS[place]
        if example.isupper():
            return true.upper(), false.upper()
        return (true.title(), false.title()) if example[0].isupper() else (true, false)

    def _times(self, values: ArrowColumn) -> ArrowColumn:
        """Return times as precise as the example, with its letter between day and clock."""
        pa = pyarrow()
        example = self.example or "2024-12-31 18:30:00"
        if len(example) == len("2024-12-31"):
            return pa.compute.strftime(values, "%Y-%m-%d")
        clock = "%H:%M:%S" if example.count(":") >= 2 else "%H:%M"
        zone = "" if values.type.tz is None else "Z"
        unit = "us" if "." in example else "s"
        rounded = pa.compute.floor_temporal(values, unit="second") if unit == "s" else values
        whole = rounded.cast(pa.timestamp(unit, values.type.tz))
        return pa.compute.strftime(whole, f"%Y-%m-%d{example[10]}{clock}{zone}")


def decimal_text(numbers: ArrowColumn) -> ArrowColumn:
    """Return floats as text that is read as decimals again: 80 is 80.0."""
    pa = pyarrow()
    return pa.compute.replace_substring_regex(numbers.cast(pa.string()), r"^(-?[0-9]+)$", r"\1.0")


def respelt(
    spelling: Spelling, stored: ArrowColumn, known: ArrowColumn, filled: ArrowColumn
) -> ArrowColumn:
    """Return the stored text with its missing cells replaced by filled values.

    Parameters
    ----------
    spelling : Spelling
        How the column is written; it learns from this batch.
    stored : ChunkedArray of text
        The cells as they are in the file.
    known, filled : ChunkedArray
        The typed cells before and after filling; where ``filled`` is missing, the text stays.
    """
    pa = pyarrow()
    spelling.learn(stored, known)
    fills = pa.compute.and_(known.is_null(), filled.is_valid())
    if not pa.compute.any(fills).as_py():
        return stored
    return pa.compute.if_else(fills, spelling.written(filled), stored)
