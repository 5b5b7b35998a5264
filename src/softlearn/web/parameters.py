"""Parse and check the query parameters of a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from softlearn.errors import SoftlearnError
from softlearn.show.views.values import Json

LONGEST_TEXT = 8000  # letters; a condition for each of a few hundred columns


class RequestError(SoftlearnError):
    """A parameter that is missing, unknown or invalid."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Text in the query string; the other kinds of parameters refine it.

    Attributes
    ----------
    name, about
        The name, and what it means.
    default
        The default; a required parameter has none.
    required
        Whether it must be there.
    """

    name: str
    about: str
    default: Any = ""
    required: bool = False

    def read(self, given: Sequence[str]) -> Any:  # noqa: ANN401 - what the kind says
        """Return the value of a parameter that was given so many times."""
        if len(given) > 1:
            raise RequestError(f"{self.name} is given {len(given)} times; give it once")
        if not given:
            if self.required:
                raise RequestError(f"{self.name} is missing: {self.about}")
            return self.default
        if len(given[0]) > LONGEST_TEXT:
            raise RequestError(f"{self.name} has more than {LONGEST_TEXT:,} letters")
        return self.value(given[0])

    def value(self, text: str) -> Any:  # noqa: ANN401 - what the kind says
        """Return what a text means."""
        return text

    def schema(self) -> Json:
        """Return the JSON schema of the value."""
        return {"type": "string", "maxLength": LONGEST_TEXT, "default": self.default}

    def described(self) -> Json:
        """Return the parameter as OpenAPI describes it."""
        schema = {key: value for key, value in self.schema().items() if value is not None}
        return {
            "name": self.name,
            "in": "query",
            "required": self.required,
            "description": self.about,
            "schema": schema,
        }


@dataclass(frozen=True, kw_only=True)
class WholeNumber(Parameter):
    """A whole number between two ends."""

    least: int = 0
    most: int = 2**31 - 1

    def value(self, text: str) -> int:
        """Return the number."""
        digits = text.removeprefix("-")
        is_number = digits.isascii() and digits.isdecimal() and len(digits) < 16
        if not is_number or not self.least <= int(text) <= self.most:
            wanted = f"a whole number from {self.least} to {self.most}"
            raise RequestError(f"{self.name} must be {wanted}, not {text[:40]!r}")
        return int(text)

    def schema(self) -> Json:
        """Return the JSON schema of the number."""
        ends = {"minimum": self.least, "maximum": self.most}
        return {"type": "integer", **ends, "default": self.default}


@dataclass(frozen=True, kw_only=True)
class OneOf(Parameter):
    """One of a few words."""

    words: tuple[str, ...]

    def value(self, text: str) -> str:
        """Return the word."""
        if text not in self.words:
            raise RequestError(f"{self.name} must be {' or '.join(self.words)}, not {text[:40]!r}")
        return text

    def schema(self) -> Json:
        """Return the JSON schema of the word."""
        return {"type": "string", "enum": list(self.words), "default": self.default}


@dataclass(frozen=True, kw_only=True)
class Several(Parameter):
    """A parameter that may be repeated.

    Attributes
    ----------
    each
        What each of them is.
    most
        How many there may be.
    """

    each: Parameter
    most: int = 1000
    default: Any = None

    def read(self, given: Sequence[str]) -> list[Any] | None:
        """Return the values; None if there are none."""
        if len(given) > self.most:
            raise RequestError(f"{self.name} is given {len(given)} times; {self.most} are allowed")
        if self.required and not given:
            raise RequestError(f"{self.name} is missing: {self.about}")
        return [self.each.read([text]) for text in given] if given else None

    def schema(self) -> Json:
        """Return the JSON schema of the list."""
        inner = {k: v for k, v in self.each.schema().items() if k != "default" and v is not None}
        return {"type": "array", "items": inner, "maxItems": self.most}


def read_parameters(
    expected: Sequence[Parameter], given: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the value of each expected parameter; anything else is refused."""
    strange = [name for name in given if name not in {one.name for one in expected}]
    if strange:
        known = ", ".join(one.name for one in expected) or "no parameters"
        raise RequestError(f"there is no parameter {strange[0][:40]!r}; known: {known}")
    return {one.name: one.read(given.get(one.name, ())) for one in expected}
