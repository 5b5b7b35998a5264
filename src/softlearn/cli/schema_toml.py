"""A schema as a small TOML file that people edit: one table per column."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from softlearn.errors import SchemaError

if TYPE_CHECKING:
    from softlearn.table import Column, Schema
    from softlearn.table.choice import Choice
    from softlearn.table.column import Level

_HEAD = """\
# What each column is. Change a kind, reorder or add levels, or write use = false to leave a
# column out; a column that is not named here is guessed.
# Kinds: categorical, boolean, integer, numeric, datetime.
# Numbers and times may have bounds that no value crosses (lower, upper), a step, and values that
# stand out (atoms); what is left out is found from the table, as in the lines that begin with #.
# scale = "plain" takes numbers as they are. missing = "modelled" gives missing cells a probability.
"""
_WIDTH = 88  # letters of a line of levels
_SCALE_KEYS = ("scale", "step", "lower", "upper", "atoms")
_KEYS = ("kind", "levels", "use", *_SCALE_KEYS, "missing")


@dataclass(frozen=True)
class Choices:
    """The columns of a schema file.

    Attributes
    ----------
    overrides
        The kind, the column with its levels, or the overrides of a scale, by name.
    left_out
        Columns that are not to be used.
    """

    overrides: dict[str, Choice]
    left_out: tuple[str, ...]

    @property
    def text_columns(self) -> frozenset[str]:
        """Columns whose levels are text, also if they look like numbers."""
        from softlearn.table import Column  # noqa: PLC0415

        return frozenset(
            name
            for name, choice in self.overrides.items()
            if isinstance(choice, Column) and isinstance(next(iter(choice.levels), None), str)
        )


def schema_to_toml(schema: Schema) -> str:
    """Return a schema as TOML, with the reason for each kind as a comment."""
    parts = [_HEAD]
    for column in schema:
        reason = f"  # {' '.join(column.reason.split())}" if column.reason else ""
        about = _levels(column) if column.is_discrete else _scale(column)
        gaps = 'missing = "modelled"\n' if column.missing == "modelled" else ""
        parts.append(f'[{_key(column.name)}]\nkind = "{column.kind}"{reason}\n{about}{gaps}')
    return "\n".join(parts)


def choices_from_toml(text: str) -> Choices:
    """Parse a schema file; anything unexpected is a SchemaError."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"the schema is not valid TOML: {error}") from None
    overrides: dict[str, Choice] = {}
    left_out = []
    for name, about in content.items():
        if not isinstance(about, dict) or set(about) - set(_KEYS):
            raise SchemaError(f"schema, [{name}]: the keys are {', '.join(_KEYS)}, and no other")
        use = about.pop("use", True)
        if not isinstance(use, bool):
            raise SchemaError(f"schema, [{name}]: use is true or false, not {use!r}")
        if not use:
            left_out.append(name)
        elif about:
            overrides[name] = _choice(name, about)
    return Choices(overrides, tuple(left_out))


def _choice(name: str, about: dict[str, object]) -> Choice:
    from softlearn.table import Column  # noqa: PLC0415
    from softlearn.table.choice import read_choice  # noqa: PLC0415
    from softlearn.table.column import KINDS  # noqa: PLC0415

    kind, levels = about.get("kind"), about.get("levels", [])
    if kind is not None and kind not in KINDS:
        raise SchemaError(f"schema, [{name}]: unknown kind {kind!r}; use one of {', '.join(KINDS)}")
    if not isinstance(levels, list):
        raise SchemaError(f"schema, [{name}]: levels are a list, not {levels!r}")
    if not levels:
        choice = {key: value for key, value in about.items() if key != "levels"}
        read_choice(name, choice)
        return str(kind) if set(choice) == {"kind"} else choice
    if kind is None:
        raise SchemaError(f"schema, [{name}]: set kind to one of {', '.join(KINDS)}")
    beside = [key for key in _SCALE_KEYS if key in about]
    if beside:
        raise SchemaError(f"schema, [{name}]: a column with levels has no {beside[0]}")
    return Column(name, kind, tuple(levels), missing=about.get("missing", "unobserved"))  # type: ignore[arg-type]


def _scale(column: Column) -> str:
    """Return the lines about a number: what is certain, and as a comment what was found."""
    scale = column.scale
    if scale is None:
        return 'scale = "plain"\n'
    lines = [f"# {scale.reason}\n"] if scale.reason else []
    lower = scale.lower is not None and scale.left[0] >= scale.lower  # a hard bound
    upper = scale.upper is not None and scale.right[-1] <= scale.upper
    for key, bound, is_hard in (("lower", scale.lower, lower), ("upper", scale.upper, upper)):
        if bound is not None:
            lines.append(f"{'' if is_hard else '# '}{key} = {_place(column, bound)}\n")
    if scale.step not in (0.0, 1.0):
        lines.append(f"# step = {scale.step!r}\n")
    if scale.atoms and not all(scale.atom):
        shown = ", ".join(_place(column, atom) for atom in scale.atoms)
        lines.append(f"# atoms = [{shown}]\n")
    return "".join(lines)


def _place(column: Column, value: float) -> str:
    """Return a number or a time as TOML writes it."""
    from softlearn.table import decode_value  # noqa: PLC0415

    if column.kind == "integer":
        return repr(int(value))
    found = decode_value(column, value) if column.kind == "datetime" else value
    return found.isoformat() if isinstance(found, date) else repr(found)


def _levels(column: Column) -> str:
    shown = [_literal(level) for level in column.levels if level is not None]
    one_line = f"levels = [{', '.join(shown)}]\n"
    if len(one_line) <= _WIDTH:
        return one_line
    lines = [""]
    for level in shown:
        if lines[-1] and len(lines[-1]) + len(level) + 4 > _WIDTH:
            lines.append("")
        lines[-1] += f" {level}," if lines[-1] else f"  {level},"
    return "levels = [\n" + "\n".join(lines) + "\n]\n"


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
