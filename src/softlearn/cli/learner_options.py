"""The options of commands that learn, written from the registry of learners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from softlearn.cli.command import Option
from softlearn.errors import SoftlearnError
from softlearn.learners import DEFAULT_LEARNER

if TYPE_CHECKING:
    from softlearn.learn import Entry
    from softlearn.learn.parameters import Parameter
    from softlearn.learn.rules import Rule
    from softlearn.table import Schema

_TITLE_WIDTH = 60  # letters
_SEVERAL = "several learners, named in each"


def learner_options() -> list[Option]:
    """Return the choice of a learner, and every parameter that some learner has."""
    from softlearn.learn import LEARNERS  # noqa: PLC0415

    entries = list(LEARNERS.values())
    names = dict.fromkeys(name for entry in entries for name in entry.parameters)
    summaries = " ".join(f"`{entry.name}`: {entry.summary}" for entry in entries)
    described = typer.Option("--learner", metavar="LEARNER", help=f"What learns. {summaries}")
    options = [_option(name, [one for one in entries if name in one.parameters]) for name in names]
    return [
        Option("learner", Annotated[_one_of(LEARNERS), described], DEFAULT_LEARNER),
        *(option for option in options if option is not None),
    ]


def learner_choices(learner: str, settings: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the chosen parameters of a learner, or refuse options that it does not have."""
    from softlearn.learn import LEARNERS  # noqa: PLC0415

    entry = LEARNERS[learner]
    strange = [name for name in settings if name not in entry.parameters]
    if strange:
        raise SoftlearnError(
            f"{_flag(strange[0])} is not an option of --learner {learner}, which has "
            f"{', '.join(map(_flag, entry.parameters))}"
        )
    chosen = {
        name: _read(name, value, entry.parameters[name].rule, schema)
        for name, value in settings.items()
    }
    defaults = {name: one.default for name, one in entry.parameters.items()}
    for name in chosen:
        needed = entry.parameters[name].only_if
        if needed is not None and not entry.parameters[name].matters({**defaults, **chosen}):
            raise SoftlearnError(
                f"{_flag(name)} has an effect only with {_flag(needed[0])} {needed[1]}"
            )
    return chosen


def _option(name: str, having: list[Entry[Any]]) -> Option | None:
    """Return a parameter as an option; None if its values cannot be given as text."""
    known = [entry.parameters[name] for entry in having]
    hint = _type([one.rule for one in known])
    if hint is None:
        return None
    described = typer.Option(
        _flag(name),
        help=_help(having, known),
        metavar=_metavar(known[0].rule),
        rich_help_panel=f"Options of {_names(having) if _is_short(having) else _SEVERAL}",
    )
    is_list = known[0].rule.form == "word per column"
    return Option(name, Annotated[hint, described], [] if is_list else None)


def _type(rules: list[Rule]) -> Any:  # noqa: ANN401 - a type
    """Return the type that typer reads; the words are those of all learners."""
    words = dict.fromkeys(word for rule in rules for word in rule.words)
    types: dict[str, Any] = {
        "whole": int | None,
        "number": float | None,
        "flag": bool | None,
        "word": _one_of(words) | None if words else None,
        "word per column": list[str],
        "folder": Path | None,
    }
    return types.get(rules[0].form)


def _one_of(words: Iterable[str]) -> Any:  # noqa: ANN401 - a type
    choice: Any = Literal
    return choice[tuple(words)]


def _metavar(rule: Rule) -> str | None:
    if rule.form == "folder":
        return "DIR"
    return f"[COLUMN=]{'|'.join(rule.words)}" if rule.form == "word per column" else None


def _help(having: list[Entry[Any]], known: list[Parameter]) -> str:
    """Return the help and default of a parameter, by learner where they differ."""
    by_text: dict[str, list[Entry[Any]]] = {}
    for entry, one in zip(having, known, strict=True):
        by_text.setdefault(_meaning(one), []).append(entry)
    if len(by_text) == 1 and _is_short(having):
        return next(iter(by_text))
    return " ".join(f"{_names(entries)}: {text}" for text, entries in by_text.items())


def _names(entries: list[Entry[Any]]) -> str:
    return ", ".join(entry.name for entry in entries)


def _is_short(entries: list[Entry[Any]]) -> bool:
    """Return whether the names fit into the title of a panel."""
    return len(_names(entries)) <= _TITLE_WIDTH


def _meaning(one: Parameter) -> str:
    repeatable = " May be repeated." if one.rule.form == "word per column" else ""
    default = "" if one.default is None else f" Default: {one.default}."
    only = "" if one.only_if is None else f" Only with {_flag(one.only_if[0])} {one.only_if[1]}."
    return f"{one.help}{only}{repeatable}{default}"


def _read(name: str, value: Any, rule: Rule, schema: Schema) -> Any:  # noqa: ANN401
    """Return the value of an option as the parameter takes it."""
    return _by_column(name, value, schema) if rule.form == "word per column" else value


def _by_column(name: str, choices: list[str], schema: Schema) -> str | dict[str, str]:
    """Return one word for all columns, or a mapping of columns to words."""
    named = dict(choice.rpartition("=")[::2] for choice in choices if "=" in choice)
    general = [choice for choice in choices if "=" not in choice]
    if len(general) > 1:
        raise SoftlearnError(
            f"{_flag(name)} is given as both {general[0]} and {general[1]}; name their columns"
        )
    if not named:
        return general[0]
    rest = {column.name: general[0] for column in schema if general and not column.is_discrete}
    return rest | named


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
