"""The reference of all commands, written from their help: ``python docs/write_commands.py``.

It stands in a page below a marker; what is above the marker is written by hand.
"""

from __future__ import annotations

from inspect import Parameter, cleandoc
from pathlib import Path
from typing import Literal, get_args, get_origin

from softlearn.cli.command import Option
from softlearn.cli.registry import all_places, load_command
from softlearn.experiments.wrapping import wrapped
from softlearn.whole_files import write_whole

PAGE = Path(__file__).with_name("commands.md")
MARKER = "<!-- Written by python docs/write_commands.py; change the help of the commands. -->"


def reference() -> str:
    """Return the part of the page that is written from the help."""
    return "\n".join([MARKER, *(_section(name, place) for name, place in all_places().items())])


def updated(page: str) -> str:
    """Return a page with its reference written anew."""
    by_hand, marker, _ = page.partition(MARKER)
    assert marker, "the page has lost its marker"
    return wrapped(by_hand + reference())


def _section(name: str, place: str) -> str:
    command = load_command(place)
    options = [Described(option) for option in command.options()]
    arguments = [option for option in options if option.is_argument]
    usage = " ".join(["softlearn", name, *(one.label for one in arguments), "[OPTIONS]"])
    rows = [f"| {one.shown} | {one.help} |" for one in options]
    examples = ["```sh", *command.examples, "```"]
    help_text = cleandoc(command.__doc__ or "")
    table = ["| | |", "|---|---|", *rows]
    return "\n".join(["", f"## {name}", "", f"`{usage}`", "", help_text, "", *examples, "", *table])


class Described:
    """One argument or option, as the page shows it."""

    def __init__(self, option: Option) -> None:
        self.type, self.info = get_args(option.hint)
        self.name, self.default = option.name, option.default
        self.is_argument = type(self.info).__name__ == "ArgumentInfo"

    @property
    def label(self) -> str:
        """What stands for the value."""
        return str(self.info.metavar or self.name.upper())

    @property
    def shown(self) -> str:
        """The names of an option and what it takes, as code."""
        if self.is_argument:
            return f"`{_cell(self.label)}`"
        first = [] if self.info.default is ... else [self.info.default]
        names = [*first, *(self.info.param_decls or ())] or [f"--{self.name.replace('_', '-')}"]
        return ", ".join(f"`{name}`" for name in names) + self._value()

    @property
    def help(self) -> str:
        """What it means, and its default or its need."""
        text = _cell(self.info.help or "")
        if self.default is Parameter.empty:
            return text if self.is_argument else f"{text} Required."
        is_told = self.default is not False and self.default not in (None, "", [])
        return f"{text} Default: `{self.default}`." if is_told else text

    def _value(self) -> str:
        if self.type is bool:
            return ""
        words = [one for one in (self.type, *get_args(self.type)) if get_origin(one) is Literal]
        if words:
            return " " + _cell(" | ".join(map(str, get_args(words[0]))))
        kinds = {int: "N", float: "X"}
        known = [kinds[one] for one in (self.type, *get_args(self.type)) if one in kinds]
        return f" {_cell(self.info.metavar or (known or ['TEXT'])[0])}"


def _cell(text: str) -> str:
    """Return text that a cell of a Markdown table can hold."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    write_whole(PAGE, updated(PAGE.read_text(encoding="utf-8")))
