"""Rules for parameter values: a description, a test, and types for checkers and docs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

# How the command line reads a value; it cannot express an "object".
Form: TypeAlias = Literal["whole", "number", "flag", "word", "word per column", "folder", "object"]


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - whatever the caller gave
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The values that a parameter accepts.

    Attributes
    ----------
    allowed
        In words, for messages: "a whole number, 1 or more".
    holds
        Whether a value is allowed.
    read
        Converts numbers to Python's types: kernels would be compiled again for every other type.
    form
        How the command line reads it.
    annotation
        As type checkers write it: ``int | None``.
    described
        As docstrings write it: ``int, optional``.
    words
        The choices, if the value is a word.
    """

    allowed: str
    holds: Callable[[Any], bool]
    read: Callable[[Any], Any] = _as_it_is
    form: Form = "object"
    annotation: str = "object"
    described: str = "object"
    words: tuple[str, ...] = ()


def one_of(*words: str) -> Rule:
    """Return the rule for words."""
    return Rule(
        allowed=" or ".join(map(repr, words)),
        holds=lambda x: isinstance(x, str) and x in words,
        form="word",
        annotation=f"Literal[{_quoted(words)}]",
        described=f"{{{_quoted(words)}}}",
        words=words,
    )


def one_per_column(*words: str, or_for_all: tuple[str, ...] = ()) -> Rule:
    """Return the rule for a word that holds for all columns, or a mapping of columns to words.

    Some words can only be chosen for all columns.
    """
    every = (*words, *or_for_all)
    them = "the first of them" if or_for_all else "them"
    return Rule(
        allowed=f"{' or '.join(map(repr, every))}, or a mapping of column names to {them}",
        holds=lambda x: (
            all(isinstance(own, str) and own not in or_for_all for own in x.values())
            if isinstance(x, Mapping)
            else isinstance(x, str) and x in every
        ),
        form="word per column",
        annotation=f"Literal[{_quoted(every)}] | Mapping[str, Literal[{_quoted(words)}]]",
        described=f"{{{_quoted(every)}}} or mapping of column name to {them}",
        words=every,
    )


def whole(least: int) -> Rule:
    """Return the rule for whole numbers from ``least`` on."""
    return Rule(
        allowed=f"a whole number, {least} or more",
        holds=lambda x: is_whole(x) and bool(x >= least),
        read=int,
        form="whole",
        annotation="int",
        described="int",
    )


def number(allowed: str, fits: Callable[[float], bool]) -> Rule:
    """Return the rule for finite numbers that fit."""
    return Rule(
        allowed=allowed,
        holds=lambda x: _is_number(x) and math.isfinite(x) and fits(x),
        read=float,
        form="number",
        annotation="float",
        described="float",
    )


def flag() -> Rule:
    """Return the rule for True and False."""
    return Rule(
        allowed="True or False",
        holds=lambda x: isinstance(x, bool | np.bool_),
        read=bool,
        form="flag",
        annotation="bool",
        described="bool",
    )


def folder() -> Rule:
    """Return the rule for the path of a folder."""
    return Rule(
        allowed="the path of a folder",
        holds=lambda x: isinstance(x, str | PathLike) and str(x) != "",
        read=Path,
        form="folder",
        annotation="str | PathLike[str]",
        described="path of a folder",
    )


def or_none(rule: Rule) -> Rule:
    """Return a rule that allows None as well."""
    return replace(
        rule,
        allowed=f"{rule.allowed}, or None",
        holds=lambda x: x is None or rule.holds(x),
        read=lambda x: None if x is None else rule.read(x),
        annotation=f"{rule.annotation} | None",
        described=f"{rule.described}, optional",
    )


def is_whole(x: object) -> bool:
    """Return whether something is a whole number, which True is not."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _is_number(x: object) -> bool:
    return isinstance(x, float | np.floating) or is_whole(x)


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f'"{word}"' for word in words)
