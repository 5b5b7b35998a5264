"""The entry point of ``softlearn``: a group of commands that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from softlearn.cli.command import Command, as_function, without_options
from softlearn.cli.mistakes import PlainCommand
from softlearn.cli.registry import COMMANDS, GROUP_HELP, Group, load_command
from softlearn.kernels.interpreted import answer_once


class LazyCommands(Mapping[str, Any]):
    """The commands of the registry, built when one is looked up."""

    def __init__(self, read: Callable[[type[Command]], Callable[..., None]] = as_function) -> None:
        self._read = read

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - click's commands
        return build(name, COMMANDS[name], self._read)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class LazyGroup(TyperGroup):
    """A group that knows the names of its commands without importing them."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - passed through
        super().__init__(**settings)
        self.commands = LazyCommands()  # type: ignore[assignment]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the list of commands, without what only their own help needs."""
        self.commands = LazyCommands(without_options)  # type: ignore[assignment]
        super().format_help(ctx, formatter)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Return the names in the order of the registry."""
        return list(COMMANDS)


def build(
    name: str,
    found: str | Group,
    read: Callable[[type[Command]], Callable[..., None]] = as_function,
) -> Any:  # noqa: ANN401 - a click command
    """Return a command, or a group of them, as click calls it."""
    app = typer.Typer(
        name=name, no_args_is_help=True, rich_markup_mode="markdown", add_completion=False
    )
    if isinstance(found, str):
        app.command(name, cls=PlainCommand)(read(load_command(found)))
        return get_command(app)
    app.callback(help=GROUP_HELP[name])(lambda: None)
    for inner, place in found.items():
        app.command(inner, cls=PlainCommand)(read(load_command(place)))
    return get_command(app)


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from softlearn import __version__  # noqa: PLC0415

        typer.echo(f"softlearn {__version__}")
        raise typer.Exit


@app.callback()
def softlearn(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Learn the joint distribution of a table, and ask it exact questions."""


def main() -> None:
    """Run the command line."""
    answer_once()
    app(prog_name="softlearn")
