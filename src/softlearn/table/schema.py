"""The columns of a table in order, and the kind of frame to return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from softlearn.errors import SchemaError
from softlearn.markup import table
from softlearn.table.choice import Choice, chosen_later
from softlearn.table.column import Column, Kind, Level, preview_levels

__all__ = ["FRAMES", "Column", "Kind", "Level", "Schema", "unknown_name"]

FRAMES = ("pandas", "polars", "pyarrow", "numpy")
CALLER = "chosen by the caller"

_HEAD = ("name", "kind", "values", "a score counts", "dtype", "reason")
_SHOWN_IN_NOTEBOOKS = 40  # columns
_VALUES_WIDTH = 48  # letters for the values in the printed table


@dataclass(frozen=True, slots=True)
class Schema:
    """What a table's columns are.

    Parameters
    ----------
    columns : tuple of Column
        At least one, with names that differ.
    frame : {"pandas", "polars", "pyarrow", "numpy"}
        The kind of frame that ``decode`` builds.
    numbered : bool
        Whether the frame's column names are whole numbers, as pandas allows. Here they are text:
        ``"0"``, ``"1"`` and so on.
    """

    columns: tuple[Column, ...]
    frame: str = "pandas"
    numbered: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.columns, tuple) or not self.columns:
            raise SchemaError("a schema needs a tuple of at least one column")
        strangers = [item for item in self.columns if not isinstance(item, Column)]
        if strangers:
            raise SchemaError(f"a schema is made of Column objects, not {strangers[0]!r}")
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            raise SchemaError(f"column {repeated[0]!r} occurs more than once; rename one of them")
        if self.frame not in FRAMES:
            raise SchemaError(f"frame must be one of {', '.join(FRAMES)}, not {self.frame!r}")
        self._check_numbers()

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """Return the position of the column with this name."""
        for position, column in enumerate(self.columns):
            if column.name == name:
                return position
        raise unknown_name(name, self.names)

    def override(self, choices: Mapping[str, Choice]) -> Schema:
        """Return a schema in which the named columns are what the caller says.

        Parameters
        ----------
        choices : mapping of column name to kind, Column or mapping
            A kind where the column already knows enough for it (an integer column may become
            numeric), or ``{"scale": "plain"}``; a Column otherwise, which inherits the dtype if it
            has none.
        """
        changed = list(self.columns)
        for name, choice in choices.items():
            position = self.index(name)
            changed[position] = chosen_column(changed[position], choice)
        return replace(self, columns=tuple(changed))

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as JSON-safe values."""
        data = {"frame": self.frame, "columns": [column.to_dict() for column in self]}
        return data | ({"numbered": True} if self.numbered else {})

    @classmethod
    def from_dict(cls, data: object) -> Schema:
        """Build a schema from ``to_dict``'s values; anything unexpected is a SchemaError."""
        if not isinstance(data, Mapping) or set(data) - {"numbered"} != {"frame", "columns"}:
            raise SchemaError(
                "a stored schema has exactly the keys 'frame' and 'columns', and maybe 'numbered'"
            )
        if not isinstance(data["columns"], list):
            raise SchemaError("a stored schema's columns are a list")
        columns = tuple(map(Column.from_dict, data["columns"]))
        return cls(columns, data["frame"], data.get("numbered", False))

    def _check_numbers(self) -> None:
        if not isinstance(self.numbered, bool):
            raise SchemaError(f"numbered must be True or False, not {self.numbered!r}")
        if not self.numbered:
            return
        if self.frame != "pandas":
            raise SchemaError(f"only pandas frames have numbered columns, not {self.frame}")
        words = [name for name in self.names if not _is_number(name)]
        if words:
            raise SchemaError(f"column {words[0]!r} is not named by a whole number")

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, key: str | int) -> Column:
        return self.columns[self.index(key) if isinstance(key, str) else key]

    @property
    def _heading(self) -> str:
        return f"{len(self)} column{'s' if len(self) != 1 else ''}, {self.frame}"

    def _repr_html_(self) -> str:
        caption, shown = self._heading, self.columns[:_SHOWN_IN_NOTEBOOKS]
        rest = len(self) - len(shown)
        return table(_HEAD, [_line(item) for item in shown], caption=caption, rest=rest)

    def __str__(self) -> str:
        head, body = _HEAD, [_line(item) for item in self]
        widths = [max(map(len, cells)) for cells in zip(head, *body, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in (head, *body)
        ]
        return "\n".join([self._heading, *lines])


def _line(column: Column) -> tuple[str, ...]:
    """Return a column as the printed table shows it."""
    details = column.score_counts, column.dtype, column.reason
    return column.name, column.kind, _values(column), *details


def _is_number(name: str) -> bool:
    """Return whether a name is how Python writes a whole number."""
    return name.removeprefix("-").isdecimal() and str(int(name)) == name


def _values(column: Column) -> str:
    """Return the levels, or the scale in words."""
    gaps = ", or missing" if column.missing == "modelled" else ""
    text, width = column.in_words, _VALUES_WIDTH - len(gaps)
    return (text if len(text) <= width else f"{text[: width - 1]}…") + gaps


def chosen_column(column: Column, choice: Choice) -> Column:
    """Return the overridden column, completed with the dtype of the original one."""
    if isinstance(choice, Mapping):
        return chosen_later(column, choice)
    if not isinstance(choice, Column):
        return column.as_kind(choice)
    if choice.name != column.name:
        raise SchemaError(f"column {column.name!r} is overridden by a Column named {choice.name!r}")
    return replace(choice, dtype=choice.dtype or column.dtype, reason=choice.reason or CALLER)


def unknown_name(name: object, names: Sequence[str]) -> SchemaError:
    """Return the error for a name that is not among ``names``, with the closest ones."""
    close = get_close_matches(str(name), names, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else ""
    return SchemaError(f"there is no column {name!r}; {hint or f'known: {preview_levels(names)}'}")
