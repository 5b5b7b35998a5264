"""The grammar of conditions in one line of text, such as ``age=30..40, city in {Rome, Oslo}``.

Text becomes phrases that remember where they stand; what a name or a value means is left to
``language``, which knows the columns. ``docs/commands.md`` shows the grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeAlias

from softlearn.errors import EvidenceError

# "name" is a name alone, "?" stands for "= ?"; the ends of ".." may be open.
Relation: TypeAlias = Literal[
    "name", "?", "=", "!=", "<", "<=", ">", ">=", "..", "in", "is missing", "is not missing"
]

_COMPARISONS: Final[tuple[Relation, ...]] = ("!=", "<=", ">=", "<", ">", "=")  # longest first
# Spaces are read once, from the first of them on: a hundred thousand of them are no trouble.
_NAME_ENDS = re.compile(r"[=<>,{}]|!=|(?<!\s)\s++(in\s*+\{|is\s++(not\s++)?+missing\s*+(,|$))|$")
_VALUE_ENDS = re.compile(r"[,{}]|\.\.|$")
_IN = re.compile(r"in\s*(?=\{)")
_MISSING = re.compile(r"is\s+(not\s+)?missing\s*(?=,|$)")
_SPACES = re.compile(r"\s*")
_QUOTED = {quote: re.compile(f"{quote}((?:[^{quote}]|{quote}{quote})*){quote}") for quote in "\"'"}
_PLAIN_NAME = re.compile(r"\w[\w./%-]*( \w[\w./%-]*)*")
_PLAIN_VALUE = re.compile(r"[^\s,{}\"'?]+( [^\s,{}\"'?]+)*")

_SHOWN = 160  # letters of a text around its mistake


class LanguageError(EvidenceError):
    """A condition written as text that cannot be read; ``start`` and ``end`` say where."""

    def __init__(self, reason: str, text: str, start: int, end: int) -> None:
        self.reason, self.text, self.start, self.end = reason, text, start, end
        first = max(0, start - _SHOWN // 2)
        shown = text[first : first + _SHOWN]
        line = "".join(" " if letter.isspace() else letter for letter in shown)
        marks = "^" * max(1, min(end, first + _SHOWN) - start)
        super().__init__(f"{reason}\n  {line}\n  {' ' * (start - first)}{marks}")


@dataclass(frozen=True, slots=True)
class Word:
    """A name or a value as it was written, without its quotes, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """The condition on one column; a range has two ``values``, of which one may be None."""

    name: Word
    relation: Relation
    values: tuple[Word | None, ...] = ()


def read_phrases(text: str) -> list[Phrase]:
    """Return the phrases of a text, which may be empty, or point at what cannot be read."""
    return _Reader(text).phrases()


def write_name(name: str) -> str:
    """Return a column's name as the grammar reads it, in quotes if it needs them."""
    is_plain = _PLAIN_NAME.fullmatch(name) and not re.search(r"\s(in|is (not )?missing)$", name)
    return name if is_plain else _quoted(name)


def write_value(value: str) -> str:
    """Return a value as the grammar reads it, in quotes if it needs them."""
    is_plain = _PLAIN_VALUE.fullmatch(value) and ".." not in value
    return value if is_plain else _quoted(value)


def _quoted(text: str) -> str:
    quote = "'" if "'" not in text else '"'
    return quote + text.replace(quote, quote * 2) + quote


class _Reader:
    """Walks through a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._skip_spaces()

    def phrases(self) -> list[Phrase]:
        found: list[Phrase] = []
        while self.at < len(self.text):
            found.append(self._phrase())
            if self._take(","):
                if self.at == len(self.text):
                    self._fail("expected a column after the comma")
            elif self.at < len(self.text):
                self._fail("expected a comma, or the end")
        return found

    def _phrase(self) -> Phrase:
        name = self._word(_NAME_ENDS, "a column")
        if found := _IN.match(self.text, self.at):
            self.at = found.end()
            return Phrase(name, "in", self._set())
        if found := _MISSING.match(self.text, self.at):
            self.at = found.end()
            return Phrase(name, "is not missing" if found[1] else "is missing")
        for relation in _COMPARISONS:
            if self._take(relation):
                return self._equality(name) if relation == "=" else self._compared(name, relation)
        return Phrase(name, "name")

    def _compared(self, name: Word, relation: Relation) -> Phrase:
        return Phrase(name, relation, (self._value(),))

    def _equality(self, name: Word) -> Phrase:
        if self._next() == "{":
            return Phrase(name, "in", self._set())
        lo = None if self._starts_range() else self._value()
        if not self._take(".."):
            is_question = lo is not None and self.text[lo.start : lo.end] == "?"
            return Phrase(name, "?") if is_question else Phrase(name, "=", (lo,))
        hi = None if self._next() in ",}" else self._value()
        if lo is None and hi is None:
            self._fail("expected a value on one side of '..'")
        return Phrase(name, "..", (lo, hi))

    def _set(self) -> tuple[Word, ...]:
        self._take("{")
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        if not self._take("}"):
            self._fail("expected a comma or '}'")
        return tuple(values)

    def _value(self) -> Word:
        return self._word(_VALUE_ENDS, "a value")

    def _word(self, ends: re.Pattern[str], expected: str) -> Word:
        """Read a quoted text, or all up to what ends it."""
        if self._next() in _QUOTED:
            return self._quoted_word()
        start = self.at
        end = ends.search(self.text, start).start()  # type: ignore[union-attr]  # $ is always found
        written = self.text[start:end].rstrip()
        if not written:
            self._fail(f"expected {expected}")
        self.at = start + len(written)
        self._skip_spaces()
        return Word(written, start, start + len(written))

    def _quoted_word(self) -> Word:
        quote, start = self.text[self.at], self.at
        found = _QUOTED[quote].match(self.text, start)
        if found is None:
            raise LanguageError("this quote is never closed", self.text, start, len(self.text))
        self.at = found.end()
        self._skip_spaces()
        return Word(found[1].replace(quote * 2, quote), start, found.end())

    def _starts_range(self) -> bool:
        return self.text.startswith("..", self.at)

    def _next(self) -> str:
        """Return the next letter; a comma stands for the end, which closes a phrase as it does."""
        return self.text[self.at] if self.at < len(self.text) else ","

    def _take(self, symbol: str) -> bool:
        if not self.text.startswith(symbol, self.at):
            return False
        self.at += len(symbol)
        self._skip_spaces()
        return True

    def _skip_spaces(self) -> None:
        self.at = _SPACES.match(self.text, self.at).end()  # type: ignore[union-attr]

    def _fail(self, reason: str) -> NoReturn:
        rest = self.text[self.at :]
        found = f", not {rest[0]!r}" if rest else ""
        raise LanguageError(reason + found, self.text, self.at, self.at + 1)
