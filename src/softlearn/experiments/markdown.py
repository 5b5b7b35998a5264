"""Documents as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from softlearn.experiments.document import Block, Document, Paragraph, Table
from softlearn.experiments.wrapping import wrapped


def as_markdown(document: Document, *, level: int = 1, folder: str = "") -> str:
    """Return the document; pictures are links to PNG files.

    Parameters
    ----------
    document
        The text.
    level
        Of the document's heading: 1 for a page of its own.
    folder
        Where the pictures are, as seen from the page; by default beside it.
    """
    parts = [_block(block, level + 1, folder) for block in document.blocks]
    return wrapped("\n\n".join([f"{'#' * level} {document.title}", *parts]) + "\n")


def _block(block: Block, level: int, folder: str) -> str:
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Table):
        return _table(block, level)
    return f"![{block.caption}]({folder}{block.name}.png)\n\n*{block.caption}*"


def _table(table: Table, level: int) -> str:
    lines = [
        f"{'#' * level} {table.title}",
        "",
        _line(table.head),
        _line(["---", *["---:"] * (len(table.head) - 1)]),
        *map(_line, table.body),
    ]
    return "\n".join([*lines, "", table.note] if table.note else lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
