"""Print short answers: text for people, or one JSON document for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date
from pathlib import Path
from typing import Any

import typer

from softlearn.errors import SoftlearnError


def print_answer(answer: object, text: str, *, as_json: bool) -> None:
    """Print an answer: its text, or itself as JSON."""
    typer.echo(as_json_text(answer) if as_json else text)


def as_json_text(answer: object) -> str:
    """Return strict JSON: infinite and undefined numbers are the words Infinity and NaN."""
    return json.dumps(_plain(answer), ensure_ascii=False, allow_nan=False)


def must_be_free(
    path: Path | None, *, force: bool, inputs: Iterable[str | Path | None] = ()
) -> None:
    """Refuse what cannot or must not be written, before any work is done for it.

    An input of the command is never overwritten, not even with --force.
    """
    if path is None:
        return
    if path.exists() and any(
        file is not None and Path(file).exists() and path.samefile(file) for file in inputs
    ):
        raise SoftlearnError(f"{path} is an input of this command; write to another file")
    if path.is_dir():
        raise SoftlearnError(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise SoftlearnError(f"{path} is not an ordinary file; name one to write to")
    if not path.parent.is_dir():
        raise SoftlearnError(f"cannot write {path}: the folder {path.parent} does not exist")
    written = [path, path.with_suffix(".vtree")] if path.suffix == ".psdd" else [path]
    for one in written:
        if one.exists() and not force:
            raise SoftlearnError(f"{one} exists already; pass --force to replace it")


def count(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``1,234 rows``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def aligned(pairs: Mapping[str, str], *, indent: str = "  ") -> str:
    """Return names and their texts, in two columns."""
    width = max(map(len, pairs), default=0)
    lines = [f"{indent}{name:<{width}}  {text}" for name, text in pairs.items()]
    return "\n".join(line.replace("\n", "\n" + " " * (width + len(indent) + 2)) for line in lines)


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON holds anything
    """Return what JSON can hold: text, numbers, truths, lists and dicts of them."""
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | Set):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _key(key: object) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
