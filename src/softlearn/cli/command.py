"""The base of all commands: options as a dataclass, and a function that typer can call."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from softlearn.cli.mistakes import mistakes_in_one_line


@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """A command; its annotated fields are its options, and its docstring is its help."""

    examples: ClassVar[tuple[str, ...]] = ()  # shown in the reference

    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False

    @classmethod
    def options(cls) -> list[Option]:
        """Return the arguments and options, in the order of the help."""
        return fields_as_options(cls)

    @classmethod
    def called(cls, **given: Any) -> Self:  # noqa: ANN401 - what the options say
        """Return the command with the values of all its options."""
        return cls(**given)

    @abstractmethod
    def run(self) -> None:
        """Run the command, and print the result."""


class Option(NamedTuple):
    """An argument or option, as typer reads it."""

    name: str
    hint: Any  # Annotated[type, typer.Option(...)]
    default: Any  # inspect.Parameter.empty if it must be given


def as_function(command: type[Command]) -> Callable[..., None]:
    """Return a function with the command's options as its signature, for typer to read."""

    def call(**options: Any) -> None:  # noqa: ANN401 - typer fills in what the signature says
        with mistakes_in_one_line(takes_unknown=hasattr(command, "unknown")):
            command.called(**options).run()

    parameters = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.hint
        )
        for one in command.options()
    ]
    call.__doc__ = command.__doc__
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def without_options(command: type[Command]) -> Callable[..., None]:
    """Return a function that has the command's help alone, for lists of commands."""

    def listed() -> None:
        """Do nothing; only the docstring is used."""

    listed.__doc__ = command.__doc__
    return listed


def fields_as_options(command: type[Command]) -> list[Option]:
    """Return a command's arguments, required options, its own options, then shared ones."""
    hints = get_type_hints(command, include_extras=True)

    def rank(field: Field[Any]) -> tuple[bool, bool, int]:
        *_, info = get_args(hints[field.name])
        is_optional = _default(field) is not inspect.Parameter.empty
        declared = [field.name in vars(one).get("__annotations__", {}) for one in command.__mro__]
        return isinstance(info, OptionInfo), is_optional, declared.index(True)

    mine = [field for field in fields(command) if get_origin(hints[field.name]) is Annotated]
    return [
        Option(field.name, hints[field.name], _default(field)) for field in sorted(mine, key=rank)
    ]


def _default(field: Field[Any]) -> Any:  # noqa: ANN401 - fields hold anything
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
