"""Findings about a model: values that print as text and convert to JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from softlearn.show.dependence import Dependence
from softlearn.show.shifts import Shift
from softlearn.show.wording import WIDTH, hanging, listed, share_text, shortened

_KINDS = {
    "categorical": "categorical",
    "boolean": "boolean",
    "integer": "of whole numbers",
    "numeric": "of numbers",
    "datetime": "of times",
}
_NAMES_SHOWN = 12
_PAIR_LETTERS = 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large the model is: its columns of each kind, and its circuit."""

    columns: dict[str, int]
    nodes: int
    edges: int
    parameters: int
    depth: int


@dataclass(frozen=True, slots=True)
class Group:
    """A kind of rows that the model distinguishes.

    Attributes
    ----------
    share
        The probability that a row is of this kind.
    shifts
        In which columns it differs from the whole table, the most different first.
    """

    share: float
    shifts: tuple[Shift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings about a model; ``print`` shows them, ``to_dict`` gives JSON-safe values.

    Attributes
    ----------
    size
        Columns, nodes, edges and parameters.
    groups
        The most common kinds of rows, as far as they were asked for.
    n_other_groups, other_share
        How many further kinds there are, and their share together.
    dependencies
        The pairs of columns with the strongest dependencies, strongest first.
    n_compared
        How many columns were compared pair by pair to find them. In very large models these are
        the columns that may depend most; the independent ones never need to be compared.
    n_uncompared
        How many columns were left out although they may depend on others.
    independent
        The columns that are independent of all others, for certain.
    """

    size: Size
    groups: tuple[Group, ...]
    n_other_groups: int
    other_share: float
    dependencies: tuple[Dependence, ...]
    n_compared: int
    n_uncompared: int
    independent: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, text and numbers."""
        return asdict(self)

    def __str__(self) -> str:
        sections = [
            self._about_size(),
            self._about_groups(),
            self._about_dependencies(),
            self._about_independence(),
        ]
        return "\n\n".join(section for section in sections if section)

    def _about_size(self) -> str:
        size, total = self.size, sum(self.size.columns.values())
        kinds = [f"{count:,} {_KINDS[kind]}" for kind, count in size.columns.items()]
        head = f"{total:,} column{'s' if total > 1 else ''}: {', '.join(kinds)}."
        circuit = (
            f"The circuit has {size.nodes:,} nodes, {size.edges:,} edges, "
            f"{size.parameters:,} parameters and depth {size.depth}."
        )
        return f"{hanging('', head)}\n{hanging('', circuit)}"

    def _about_groups(self) -> str:
        if len(self.groups) < 2:
            return "The model does not distinguish kinds of rows."
        lines = ["Kinds of rows"]
        for group in self.groups:
            head = f"{share_text(group.share):>8}  "
            text = "; ".join(shift.words for shift in group.shifts)
            lines.append(hanging(head, text or "much like the whole table"))
        if self.n_other_groups:
            head = f"{share_text(self.other_share):>8}  "
            lines.append(f"{head}{self.n_other_groups} more, together")
        return "\n".join(lines)

    def _about_dependencies(self) -> str:
        if not self.dependencies:
            return "No two columns depend on each other." if self.n_compared == 0 else ""
        lines = ["Strongest dependencies, as the share of uncertainty in common"]
        pairs = [
            shortened(f"{one.first}, {one.second}", _PAIR_LETTERS) for one in self.dependencies
        ]
        width = max(map(len, pairs))
        for one, pair in zip(self.dependencies, pairs, strict=True):
            lines.append(hanging(f"{share_text(one.share):>8}  {pair:<{width}}  ", one.words))
        if self.n_uncompared:
            note = (
                f"Only the {self.n_compared:,} columns that may depend most were compared, to save "
                f"time; {self.n_uncompared:,} were not."
            )
            lines.append(hanging(" " * 10, note))
        return "\n".join(lines)

    def _about_independence(self) -> str:
        if not self.independent or len(self.independent) == sum(self.size.columns.values()):
            return ""
        names = listed([shortened(name, WIDTH // 3) for name in self.independent], _NAMES_SHOWN)
        return hanging("Independent of all other columns: ", f"{names}.")
