"""What a command is: options as a dataclass, and a function that typer can call."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from softlearn.cli.mistakes import told_in_one_line


@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """A command; its fields are its options, and its docstring is its help."""

    examples: ClassVar[tuple[str, ...]] = ()  # shown in the reference

    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON for machines, and nothing else.")
    ] = False

    @abstractmethod
    def run(self) -> None:
        """Do it, and print the answer."""


def as_function(command: type[Command]) -> Callable[..., None]:
    """Return a function with the command's options as its signature, for typer to read."""

    def call(**options: Any) -> None:  # noqa: ANN401 - typer fills in what the signature says
        with told_in_one_line(takes_unknown=hasattr(command, "unknown")):
            command(**options).run()

    hints = get_type_hints(command, include_extras=True)
    parameters = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in in_order(command)
    ]
    call.__doc__ = command.__doc__
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def in_order(command: type[Command]) -> list[Field[Any]]:
    """Return a command's arguments, what it needs, its own options, then those it shares."""
    hints = get_type_hints(command, include_extras=True)

    def rank(field: Field[Any]) -> tuple[bool, bool, int]:
        *_, info = get_args(hints[field.name])
        is_optional = _default(field) is not inspect.Parameter.empty
        declared = [field.name in vars(one).get("__annotations__", {}) for one in command.__mro__]
        return isinstance(info, OptionInfo), is_optional, declared.index(True)

    return sorted(fields(command), key=rank)


def _default(field: Field[Any]) -> Any:  # noqa: ANN401 - fields hold anything
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
