"""Markdown without long lines: paragraphs and list items are wrapped, nothing else is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDTH = 100

_FENCE = re.compile(r"\s*(```|~~~)")
# Begins what stays as it is; so does the mark of an item that has nothing behind it.
_WHOLE_LINE = re.compile(r"\s*(\||#|<|!\[|:::|\[[^\]]+\]:|---|\$\$|([-*+>]|\d+[.)])\s*$)")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)]|>)\s+)(.*)")
_WORD = re.compile(r"(?:`[^`]*`|[^\s`]|`)+")  # code stays on one line
_CANNOT_BEGIN_A_LINE = re.compile(r"[-*+>|=]+$|#+$|\d+[.)]$")


def wrapped(text: str, width: int = WIDTH) -> str:
    """Return Markdown in which paragraphs with a line beyond the width are wrapped anew.

    Code, tables, headings, pictures and HTML stay as they are.
    """
    return "\n".join(line for part in _parts(text.split("\n")) for line in _fitted(part, width))


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Yield paragraphs and list items as lists of several lines, all other lines alone."""
    paragraph: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        is_text = not (fence or mark or not line.strip() or _WHOLE_LINE.match(line))
        if paragraph and (not is_text or _ITEM.match(line)):
            yield paragraph
            paragraph = []
        if is_text:
            paragraph.append(line)
            continue
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
        yield [f"\0{line}"]
    if paragraph:
        yield paragraph


def _fitted(part: list[str], width: int) -> Iterator[str]:
    if part[0].startswith("\0"):
        yield part[0][1:]
    elif max(map(len, part)) <= width or any(line.endswith(("  ", "\\")) for line in part):
        yield from part
    else:
        yield from _filled(part, width)


def _filled(part: list[str], width: int) -> Iterator[str]:
    item = _ITEM.match(part[0])
    first = item[1] if item else part[0][: len(part[0]) - len(part[0].lstrip())]
    later = first if first.lstrip().startswith(">") else " " * len(first)
    line, is_empty = first, True
    text = " ".join([part[0][len(first) :], *(line.lstrip(" >") for line in part[1:])])
    for word in _WORD.findall(text):
        must_stay = is_empty or bool(_CANNOT_BEGIN_A_LINE.match(word))
        if not must_stay and len(line) + 1 + len(word) > width:
            yield line
            line, is_empty = later, True
        line += word if is_empty else f" {word}"
        is_empty = False
    yield line
