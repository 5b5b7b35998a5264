"""Documents as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from softlearn.experiments.document import Block, Document, Paragraph, Table


def as_markdown(document: Document, *, level: int = 1) -> str:
    """Return the document; pictures are links to PNG files beside it.

    Parameters
    ----------
    document
        What is said.
    level
        Of the document's heading: 1 for a page of its own.
    """
    parts = [_block(block, level + 1) for block in document.blocks]
    return "\n\n".join([f"{'#' * level} {document.title}", *parts]) + "\n"


def _block(block: Block, level: int) -> str:
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Table):
        return _table(block, level)
    return f"![{block.caption}]({block.name}.png)\n\n*{block.caption}*"


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
