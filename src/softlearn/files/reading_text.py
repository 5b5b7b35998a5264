"""Parse text cells as numbers, booleans and times: by inspecting a whole column, or by a schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from softlearn.errors import TableError
from softlearn.files.arrow import ArrowColumn, ArrowType, pyarrow
from softlearn.table import Column
from softlearn.table.iso import CLOCK, DAY, ZONE
from softlearn.table.times import unit_of, zone_of

MISSING_WORDS: Final = frozenset(
    {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?"}
)
TRUE_WORDS: Final = ("true", "yes", "t", "y", "1")
FALSE_WORDS: Final = ("false", "no", "f", "n", "0")

# Without leading zeros, which mark codes such as postcodes, and at most 15 digits: longer ones are
# identifiers, which a float would round.
_WHOLE = r"[+-]?(0|[1-9][0-9]{0,14})"
_DECIMAL = rf"({_WHOLE}(\.[0-9]*)?|[+-]?\.[0-9]+)([eE][+-]?[0-9]+)?"
_ANY_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


class Reading(NamedTuple):
    """A type that text can be parsed as, and the pattern that all cells must match."""

    pattern: str
    type: Callable[[], ArrowType]


# The first that matches every cell of a column is used.
_GUESSES = (
    Reading("(?i)true|false", lambda: pyarrow().bool_()),
    Reading(_WHOLE, lambda: pyarrow().int64()),
    Reading(_DECIMAL, lambda: pyarrow().float64()),
    Reading(DAY, lambda: pyarrow().date32()),
    Reading(f"{DAY}({CLOCK})?", lambda: pyarrow().timestamp("us")),
    Reading(f"{DAY}{CLOCK}{ZONE}", lambda: pyarrow().timestamp("us", "UTC")),
)


def read_text(cells: ArrowColumn, missing: frozenset[str]) -> ArrowColumn:
    """Return a column of text, with its missing cells."""
    return _without(_trimmed(cells), missing)


def guessed(cells: ArrowColumn, missing: frozenset[str]) -> ArrowColumn:
    """Return a column of text as the first type that matches all its known cells."""
    known = read_text(cells, missing)
    return typed_as(known, suiting(known, first_only=True))


def suiting(known: ArrowColumn, *, first_only: bool = False) -> frozenset[int] | None:
    """Return which types match all known cells of a text column; None if all are missing.

    The type of a table in several files must match all of them.
    """
    pa = pyarrow()
    distinct = known.unique().drop_null()
    if not len(distinct):
        return None
    found = set()
    for number, reading in enumerate(_GUESSES):
        if not pa.compute.all(_matches(distinct, reading.pattern)).as_py():
            continue
        try:
            _cast(distinct, reading.type())
        except pa.ArrowInvalid:  # such as February 30
            continue
        found.add(number)
        if first_only:
            break
    return frozenset(found)


def typed_as(known: ArrowColumn, suits: frozenset[int] | None) -> ArrowColumn:
    """Return a column of text as the first type that matches it; text if none does."""
    if suits is None:
        return pyarrow().nulls(len(known))
    return _cast(known, _GUESSES[min(suits)].type()) if suits else known


def read_as(
    column: Column, cells: ArrowColumn, missing: frozenset[str], first_row: int
) -> ArrowColumn:
    """Return a column of text with the type of a schema's column.

    Parameters
    ----------
    column : Column
        What the cells are; a word for missing cells that is one of its levels is that level.
    cells : ChunkedArray of text
        The cells.
    missing : frozenset of str
        The words that stand for a missing cell.
    first_row : int
        How many rows come before, for messages.
    """
    trimmed = _trimmed(cells)
    if column.is_discrete and isinstance(column.levels[0], str):
        return _without(trimmed, missing - frozenset(map(str, column.levels)))
    known = _without(trimmed, missing)
    if column.is_discrete and isinstance(column.levels[0], bool):
        return _truths(column, known, first_row)
    if column.kind == "datetime":
        return _times(column, known, first_row)
    _require(column, known, _ANY_NUMBER, "a number", first_row)
    return _numbers(column, known)


def _numbers(column: Column, known: ArrowColumn) -> ArrowColumn:
    """Return numbers, as integers where the column has them and nothing is lost."""
    pa = pyarrow()
    numbers = _cast(known, pa.float64())
    is_whole = column.kind == "integer" or (column.is_discrete and type(column.levels[0]) is int)
    if not is_whole:
        return numbers
    try:
        return numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return numbers


def _truths(column: Column, known: ArrowColumn, first_row: int) -> ArrowColumn:
    pa = pyarrow()
    words = pa.compute.utf8_lower(known)
    true = pa.compute.is_in(words, pa.array(TRUE_WORDS))
    false = pa.compute.is_in(words, pa.array(FALSE_WORDS))
    either = pa.compute.or_(pa.compute.or_(true, false), known.is_null())
    _refuse_others(column, known, either, "true or false", first_row)
    return pa.compute.if_else(known.is_valid(), true, pa.scalar(None, pa.bool_()))


def _times(column: Column, known: ArrowColumn, first_row: int) -> ArrowColumn:
    pa = pyarrow()
    if zone_of(column.dtype):
        wanted, pattern = pa.timestamp("us", "UTC"), f"{DAY}{CLOCK}{ZONE}"
        example = "a time with its zone, such as 2024-12-31T18:30:00Z"
    elif column.dtype and unit_of(column.dtype) == "day":
        wanted, pattern, example = pa.date32(), DAY, "a date such as 2024-12-31"
    else:
        wanted, pattern = pa.timestamp("us"), f"{DAY}({CLOCK})?"
        example = "a date or time such as 2024-12-31 or 2024-12-31 18:30"
    _require(column, known, pattern, example, first_row)
    try:
        return _cast(known, wanted)
    except pa.ArrowInvalid as error:  # such as February 30
        raise TableError(f"column {column.name!r}: {error}; expected {example}") from None


def _require(
    column: Column, known: ArrowColumn, pattern: str, expected: str, first_row: int
) -> None:
    """Refuse the first cell that does not match the whole pattern."""
    fits = pyarrow().compute.fill_null(_matches(known, pattern), True)
    _refuse_others(column, known, fits, expected, first_row)


def _refuse_others(
    column: Column, known: ArrowColumn, fits: ArrowColumn, expected: str, first_row: int
) -> None:
    pa = pyarrow()
    stranger = pa.compute.index(fits, False).as_py()
    if stranger < 0:
        return
    raise TableError(
        f"column {column.name!r} is {column.kind} and holds {known[stranger].as_py()!r} in row "
        f"{first_row + stranger} (the first is row 0); expected {expected}"
    )


def _cast(known: ArrowColumn, wanted: ArrowType) -> ArrowColumn:
    pa = pyarrow()
    if pa.types.is_integer(wanted):
        known = pa.compute.replace_substring_regex(known, r"^\+", "")
    if pa.types.is_boolean(wanted):
        known = pa.compute.utf8_lower(known)
    return known.cast(wanted)


def _matches(cells: ArrowColumn, pattern: str) -> ArrowColumn:
    flags, bare = ("(?i)", pattern[4:]) if pattern.startswith("(?i)") else ("", pattern)
    return pyarrow().compute.match_substring_regex(cells, f"{flags}^(?:{bare})$")


def _trimmed(cells: ArrowColumn) -> ArrowColumn:
    return pyarrow().compute.utf8_trim_whitespace(cells)


def _without(cells: ArrowColumn, missing: frozenset[str]) -> ArrowColumn:
    pa = pyarrow()
    is_missing = pa.compute.is_in(cells, pa.array(sorted(missing), pa.string()))
    return pa.compute.if_else(is_missing, pa.scalar(None, pa.string()), cells)
