"""Every error that softlearn raises on purpose; catch ``SoftlearnError`` to catch them all."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONG = 500  # letters; below it an apostrophe is not taken for the quote of a long text
_LONG_ECHO = re.compile(
    r"(?P<quote>['\"])(?P<kept>(?:(?!(?P=quote)).){160})(?:(?!(?P=quote)).){41,}"
)


class SoftlearnError(ValueError):
    """An error that the user can correct; the message says what is wrong and what to do.

    Of a long text that it quotes, the beginning is shown.
    """

    def __init__(self, *texts: object) -> None:
        super().__init__(*(_briefly(one) if isinstance(one, str) else one for one in texts))


class TableError(SoftlearnError):
    """A frame, or a cell of it, that cannot be read."""


class NotATableError(TableError, TypeError):
    """Something that is no table at all, or in a form that is not read, such as a sparse matrix."""


class UnknownLevelError(TableError):
    """A categorical cell that holds a level the schema does not know.

    Attributes
    ----------
    column
        The column's name.
    value
        The level.
    what
        The message without its remedy, for who knows another one.
    """

    def __init__(
        self, what: str, *, remedy: str = "", column: str = "", value: object = None
    ) -> None:
        super().__init__(f"{what}; {remedy}" if remedy else what)
        self.what, self.column, self.value = what, column, value


class SchemaError(SoftlearnError):
    """A schema that contradicts itself, or does not fit what it is used with."""


class EvidenceError(SoftlearnError):
    """Evidence that does not fit the circuit's columns."""


class ImpossibleEvidenceError(EvidenceError):
    """A question conditioned on evidence of probability zero."""


class ModelFileError(SoftlearnError):
    """A file that is not a sound softlearn model."""


class CircuitError(SoftlearnError):
    """A circuit that breaks a rule; ``violations`` lists every one of them."""

    def __init__(self, violations: Sequence[str]) -> None:
        self.violations = tuple(violations)
        shown = [f"  - {reason}" for reason in self.violations[:_SHOWN]]
        if len(self.violations) > _SHOWN:
            shown.append(f"  - and {len(self.violations) - _SHOWN} more")
        count = len(self.violations)
        head = f"the circuit breaks {count} rule{'s' if count != 1 else ''}:"
        super().__init__("\n".join([head, *shown]))


class MissingDependencyError(SoftlearnError, ImportError):
    """An optional package is needed; the message holds the command that installs it."""


class IdentifierWarning(UserWarning):
    """A text column whose cells are nearly all different: a name, not a measurement."""


class NumbersAsTextWarning(UserWarning):
    """A text column whose cells are numbers that are not read as such, like ``"1,5"``."""


def _briefly(message: str) -> str:
    """Return a long message in which quoted texts have at most 200 letters."""
    if len(message) < _LONG:
        return message
    return _LONG_ECHO.sub(r"\g<quote>\g<kept>…", message)


_SHOWN = 10  # violations printed in full; the rest are counted
