"""Parse conditions written as text into what ``Model`` takes, and write them back."""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from typing import TypeAlias

from softlearn.conditions.phrases import (
    LanguageError,
    Phrase,
    Word,
    read_phrases,
    write_name,
    write_value,
)
from softlearn.errors import SchemaError
from softlearn.model.asking import Conditions
from softlearn.table import Column, Schema
from softlearn.table.column import Level, preview_levels

Ends: TypeAlias = tuple[object, object]

_LONGEST_WHOLE = 1e15  # beyond it the powers of ten are easier to read
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


@dataclass(frozen=True)
class Question:
    """What a text asks for: the distributions of columns, or the probability of an event.

    Attributes
    ----------
    columns
        Columns that are named without a condition.
    event
        The conditions on the others.
    """

    columns: tuple[str, ...]
    event: Conditions


def parse_conditions(text: str, schema: Schema) -> dict[str, object]:
    """Return what a text says of columns, as ``{column: what}``.

    Parameters
    ----------
    text : str
        Conditions joined by commas: ``age=30..40, sex=F, city in {Rome, Oslo}, income>=50``.
        Where missing cells are modelled, also ``age is missing`` and ``age is not missing``. A
        column that is asked for, as in ``income=?``, is None. Empty text says nothing.
    schema : Schema
        The columns, which decide what the words mean.
    """
    phrases = read_phrases(text)
    for phrase in phrases:
        if phrase.relation == "name":
            at = phrase.name.end
            reason = (
                f"expected =, !=, <, <=, >, >=, in {{...}} or is missing after {phrase.name.text!r}"
            )
            raise LanguageError(reason, text, at, at + 1)
    return _Reader(text, schema).conditions(phrases)


def parse_question(text: str, schema: Schema) -> Question:
    """Return what a text asks for: bare column names, or conditions that make an event."""
    phrases = read_phrases(text)
    found = _Reader(text, schema).conditions(phrases)
    return Question(
        tuple(name for name, what in found.items() if what is None),
        {name: what for name, what in found.items() if what is not None},
    )


def format_conditions(conditions: Conditions) -> str:
    """Return conditions as the text that ``parse_conditions`` reads."""
    return ", ".join(f"{write_name(name)}{_written(what)}" for name, what in conditions.items())


def _written(what: object) -> str:
    if what is None:
        return "=?"
    if what == (None, None):
        return " is not missing"
    if isinstance(what, tuple):
        return "=" + "..".join("" if end is None else _word(end) for end in what)
    if isinstance(what, Set | list) and set(what) == {None}:
        return " is missing"
    if isinstance(what, Set | list):
        return f" in {{{', '.join(sorted(map(_word, what)))}}}"
    return "=" + _word(what)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) < _LONGEST_WHOLE
        return str(int(value)) if is_whole else repr(float(value))
    return value.isoformat() if isinstance(value, date) else write_value(str(value))


class _Reader:
    """Understands phrases about the columns of a schema."""

    def __init__(self, text: str, schema: Schema) -> None:
        self.text, self.schema = text, schema

    def conditions(self, phrases: list[Phrase]) -> dict[str, object]:
        found: dict[str, object] = {}
        for phrase in phrases:
            column = self._column(phrase.name)
            what = self._what(column, phrase)
            if column.name in found:
                what = self._joined(found[column.name], what, phrase)
            found[column.name] = what
        return found

    def _column(self, name: Word) -> Column:
        try:
            return self.schema[name.text]
        except SchemaError as error:
            raise self._error(str(error), name) from None

    def _what(self, column: Column, phrase: Phrase) -> object:
        match phrase.relation:
            case "name" | "?":
                return None
            case "=":
                return self._value(column, phrase.values[0])
            case "in":
                return self._set(column, phrase)
            case "!=":
                return self._others(column, phrase)
            case "is missing" | "is not missing":
                return self._missing(column, phrase)
        compared = self._levels_between if column.is_discrete else self._interval
        return compared(column, phrase)

    def _joined(self, before: object, now: object, phrase: Phrase) -> Ends:
        """Return one interval of two that each leave the other's end open."""
        if isinstance(before, tuple) and isinstance(now, tuple):
            ends = [
                own if other is None else other
                for own, other in zip(before, now, strict=True)
                if own is None or other is None
            ]
            if len(ends) == 2:
                return ends[0], ends[1]
        raise self._error(f"column {phrase.name.text!r} already has a condition", phrase.name)

    def _missing(self, column: Column, phrase: Phrase) -> object:
        """Return the missing cell alone, or all levels or numbers but that."""
        if column.missing != "modelled":
            reason = (
                f"column {column.name!r}: its missing cells are not modelled, so they have no "
                "probability; fit with --missing modelled"
            )
            raise self._error(reason, phrase.name)
        if phrase.relation == "is missing":
            return {None}
        return {*column.levels} - {None} if column.is_discrete else (None, None)

    def _set(self, column: Column, phrase: Phrase) -> set[object]:
        if not column.is_discrete and column.scale is None:
            reason = f"column {column.name!r} is {column.kind}: say a range such as lo..hi"
            raise self._error(reason, phrase.values[0], phrase.values[-1])
        return {self._value(column, word) for word in phrase.values}

    def _others(self, column: Column, phrase: Phrase) -> set[object]:
        excluded = phrase.values[0]
        if not column.is_discrete:
            reason = f"column {column.name!r} is {column.kind}: only levels can be excluded"
            raise self._error(reason, excluded)
        rest = {*column.levels} - {None, self._value(column, excluded)}
        if not rest:
            raise self._error(f"column {column.name!r} has no other level", excluded)
        return set(rest)

    def _interval(self, column: Column, phrase: Phrase) -> Ends:
        """Return the ends; below a whole number means at most the one before."""
        ends = [None if word is None else self._value(column, word) for word in phrase.values]
        match phrase.relation:
            case "..":
                return ends[0], ends[1]
            case "<" | "<=":
                return None, _stepped(column, ends[0], -1 if phrase.relation == "<" else 0)
        return _stepped(column, ends[0], 1 if phrase.relation == ">" else 0), None

    def _levels_between(self, column: Column, phrase: Phrase) -> set[object]:
        """Return the levels that satisfy a comparison, if they are numbers."""
        words = [word for word in phrase.values if word is not None]
        if isinstance(column.levels[0], str | bool):
            raise self._error(self._unordered(column, phrase), words[0], words[-1])
        ends = [None if word is None else self._number(column, word) for word in phrase.values]
        fits = {level for level in column.levels if _satisfies(level, phrase.relation, ends)}
        if not fits:
            known = preview_levels(column.levels)
            reason = f"column {column.name!r} has no such level; it has {known}"
            raise self._error(reason, words[0], words[-1])
        return set(fits)

    def _unordered(self, column: Column, phrase: Phrase) -> str:
        first = phrase.values[0]
        level = f"{phrase.relation}{first.text}" if first is not None else ""
        hint = f"did you mean {write_name(column.name)}={write_value(level)}?"
        known = f"name some, such as in {{{write_value(str(column.levels[0]))}}}"
        reason = f"column {column.name!r} is {column.kind}, and its levels have no order"
        return f"{reason}; {hint if level in column.levels else known}"

    def _value(self, column: Column, word: Word | None) -> object:
        assert word is not None
        if column.is_discrete:
            return self._level(column, word)
        if column.kind == "datetime":
            return self._time(column, word)
        number = self._number(column, word)
        return int(number) if column.kind == "integer" and number.is_integer() else number

    def _level(self, column: Column, word: Word) -> Level:
        level = _READ_LEVEL[type(column.levels[0])](word.text)
        for known in column.levels:
            if known == level:
                return known
        present = [known for known in column.levels if known is not None]
        by_lower = {str(known).lower(): str(known) for known in present}
        close = [by_lower[name] for name in get_close_matches(word.text.lower(), by_lower, n=3)]
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else ""
        known_levels = f"known: {preview_levels(present)}"
        reason = f"column {column.name!r} has no level {word.text!r}; {hint or known_levels}"
        raise self._error(reason, word)

    def _time(self, column: Column, word: Word) -> datetime:
        try:
            return datetime.fromisoformat(word.text)
        except ValueError:
            expected = "a time, written like 2024-12-31 or 2024-12-31T18:30"
            raise self._mistaken(column, expected, word) from None

    def _number(self, column: Column, word: Word) -> float:
        number = _number(word.text)
        if number is None:
            raise self._mistaken(column, "a number", word)
        return number

    def _mistaken(self, column: Column, expected: str, word: Word) -> LanguageError:
        reason = f"column {column.name!r} is {column.kind}: expected {expected}, not {word.text!r}"
        if word.text[0:1] in ("<", ">"):
            compared = f"{write_name(column.name)}{word.text[0]}={word.text[1:].lstrip()}"
            return self._error(f"{reason}; to compare, write {compared}", word)
        if "=" in word.text:
            return self._error(f"{reason}; put a comma between conditions", word)
        return self._error(reason, word)

    def _error(self, reason: str, first: Word | None, last: Word | None = None) -> LanguageError:
        assert first is not None
        return LanguageError(reason, self.text, first.start, (last or first).end)


def _stepped(column: Column, end: object, step: int) -> object:
    """Return the next whole number that a strict comparison allows; elsewhere the end itself."""
    if column.kind != "integer" or not step or not isinstance(end, int | float):
        return end
    return math.ceil(end) - 1 if step < 0 else math.floor(end) + 1


def _satisfies(level: Level, relation: str, ends: list[float | None]) -> bool:
    if level is None:  # a missing cell is no number
        return False
    assert not isinstance(level, str)
    if relation == "..":
        lo, hi = ends
        return (lo is None or level >= lo) and (hi is None or level <= hi)
    bound = ends[0]
    assert bound is not None
    return {
        "<": level < bound,
        "<=": level <= bound,
        ">": level > bound,
        ">=": level >= bound,
    }[relation]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_READ_LEVEL: dict[type, Callable[[str], object]] = {
    str: str,
    bool: lambda text: _TRUTHS.get(text.lower()),
    int: lambda text: _TRUTHS.get(text.lower(), _number(text)) if text.isalpha() else _number(text),
    float: _number,
}
