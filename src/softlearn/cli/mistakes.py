"""Report users' mistakes in one line, without a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from softlearn.errors import SoftlearnError, UnknownLevelError

MISTAKE = 2
INTERRUPTED = 130


class PlainCommand(TyperCommand):
    """A command that explains wrong arguments in more words than Click does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Read the arguments; extra ones and wrong values are explained."""
        ctx.allow_extra_args = True
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise
        if rest and not ctx.resilient_parsing:
            ctx.fail(_unexpected(rest[0], takes_given=any(p.name == "given" for p in self.params)))
        return rest


@contextmanager
def mistakes_in_one_line(*, takes_unknown: bool = False) -> Iterator[None]:
    """Print errors and warnings as one line on standard error, and end with their exit code.

    Parameters
    ----------
    takes_unknown : bool
        Whether the command has the option ``--unknown``, and may recommend it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _note_warning
        try:
            yield
        except UnknownLevelError as error:
            raise _ended(_with_remedy(error, takes_unknown)) from None
        except SoftlearnError as error:
            raise _ended(str(error)) from None
        except BrokenPipeError:
            # The reader, such as head, has closed the pipe; there is nothing to flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _ended(f"{where}{error.strerror or error}") from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


def note(text: str) -> None:
    """Print a note on standard error."""
    typer.secho(f"note: {text}", err=True, fg="yellow")


def _unexpected(argument: str, *, takes_given: bool) -> str:
    """Return the message about an extra argument."""
    advice = (
        f"; write what is known as --given {argument!r}, and separate columns by commas"
        if takes_given
        else ""
    )
    return f"unexpected argument {argument!r}{advice}"


def _ended(reason: str) -> typer.Exit:
    typer.secho("error: ", err=True, fg="red", bold=True, nl=False)
    typer.echo(reason, err=True)
    return typer.Exit(MISTAKE)


def _with_remedy(error: UnknownLevelError, takes_unknown: bool) -> str:
    """Return the message with a remedy on the command line."""
    option = "pass --unknown missing to treat such cells as missing"
    return f"{error.what}; {option if takes_unknown else 'correct it'}, or fit the model again"


def _note_warning(message: Warning | str, *where: object, **further: object) -> None:
    note(str(message))
