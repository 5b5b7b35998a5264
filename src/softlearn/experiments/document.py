"""The results of an experiment as a document of paragraphs, tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 144  # sharp on a page of this width, and small enough to be kept in a repository


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text, in which ``**`` marks what is strong and backticks mark code."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text; all columns but the first hold numbers."""

    title: str
    head: Sequence[str]
    body: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is drawn when it is needed."""

    name: str  # of its file, without the ending
    caption: str
    draw: Callable[[], Figure]

    def png(self) -> bytes:
        """Return the drawn picture as the content of a PNG file."""
        content = BytesIO()
        self.draw().savefig(content, format="png", dpi=_DOTS_PER_INCH)
        return content.getvalue()


Block: TypeAlias = Paragraph | Table | Picture


@dataclass(frozen=True, slots=True)
class Document:
    """The page of one experiment."""

    title: str
    blocks: Sequence[Block]

    @property
    def pictures(self) -> list[Picture]:
        """The pictures, in order."""
        return [block for block in self.blocks if isinstance(block, Picture)]
