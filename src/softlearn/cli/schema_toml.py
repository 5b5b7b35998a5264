"""A schema as a small TOML file that people edit: one table a column."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softlearn.errors import SchemaError

if TYPE_CHECKING:
    from softlearn.table import Column, Schema
    from softlearn.table.column import Level

_HEAD = """\
# What each column is. Change a kind, reorder or add levels, or write use = false to leave a
# column out; a column that is not named here is guessed.
# Kinds: categorical, boolean, integer, numeric, datetime.
"""
_KEYS = ("kind", "levels", "use")


@dataclass(frozen=True)
class Choices:
    """What a file says about columns.

    Attributes
    ----------
    overrides
        The kind, or the column with its levels, by name.
    left_out
        Columns that are not to be used.
    """

    overrides: dict[str, str | Column]
    left_out: tuple[str, ...]

    @property
    def text_columns(self) -> frozenset[str]:
        """Columns whose levels are text, also if they look like numbers."""
        return frozenset(
            name
            for name, choice in self.overrides.items()
            if not isinstance(choice, str) and isinstance(next(iter(choice.levels), None), str)
        )


def schema_to_toml(schema: Schema) -> str:
    """Return the columns' kinds and levels as TOML, with the reason for each as a comment."""
    parts = [_HEAD]
    for column in schema:
        reason = f"  # {' '.join(column.reason.split())}" if column.reason else ""
        parts.append(f'[{_key(column.name)}]\nkind = "{column.kind}"{reason}\n{_levels(column)}')
    return "\n".join(parts)


def choices_from_toml(text: str) -> Choices:
    """Return what a TOML file says about columns; anything unexpected is a SchemaError."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"the schema is not valid TOML: {error}") from None
    overrides: dict[str, str | Column] = {}
    left_out = []
    for name, about in content.items():
        if not isinstance(about, dict) or set(about) - set(_KEYS):
            raise SchemaError(f"schema, [{name}]: the keys are {', '.join(_KEYS)}, and no other")
        use = about.get("use", True)
        if not isinstance(use, bool):
            raise SchemaError(f"schema, [{name}]: use is true or false, not {use!r}")
        if not use:
            left_out.append(name)
        elif about:
            overrides[name] = _choice(name, about)
    return Choices(overrides, tuple(left_out))


def _choice(name: str, about: dict[str, object]) -> str | Column:
    from softlearn.table.column import KINDS, Column  # noqa: PLC0415

    kind, levels = about.get("kind"), about.get("levels", [])
    if not isinstance(kind, str):
        raise SchemaError(f"schema, [{name}]: say kind = one of {', '.join(KINDS)}")
    if not isinstance(levels, list):
        raise SchemaError(f"schema, [{name}]: levels are a list, not {levels!r}")
    if levels or kind not in KINDS:
        return Column(name, kind, tuple(levels))  # type: ignore[arg-type]
    return kind


def _levels(column: Column) -> str:
    if not column.is_discrete:
        return ""
    shown = [_literal(level) for level in column.levels]
    one_line = f"levels = [{', '.join(shown)}]\n"
    if len(one_line) <= 88:
        return one_line
    return "levels = [\n" + "".join(f"  {level},\n" for level in shown) + "]\n"


def _literal(level: Level) -> str:
    if isinstance(level, bool):
        return "true" if level else "false"
    return _quoted(level) if isinstance(level, str) else repr(level)


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else _quoted(name)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the delete character, and halves of surrogates.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
