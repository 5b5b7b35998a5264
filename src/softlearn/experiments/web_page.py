"""Documents as one web page that needs no other file."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Final

from softlearn.experiments.document import Block, Document, Paragraph, Picture, Table

_STYLE: Final = """
body { font: 16px/1.55 system-ui, sans-serif; color: #263238; max-width: 76rem;
       margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; }
h2 { margin-top: 3.5rem; border-top: 2px solid #0b5d9c; padding-top: .8rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
p { max-width: 50rem; }
nav a { margin-right: 1.2rem; }
a { color: #0b5d9c; }
code { font-size: .88em; background: #f1f4f6; padding: .1em .3em; border-radius: 3px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .55rem; text-align: right; border-bottom: 1px solid #e6eaed;
         white-space: nowrap; }
th { vertical-align: bottom; white-space: normal; border-bottom: 1.5px solid #78868f; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
tbody tr:hover td { background: #f5f8fa; }
.note, figcaption { color: #56646d; font-size: .86rem; max-width: 50rem; }
figure { margin: 2rem 0; }
img { max-width: 100%; height: auto; }
"""
# In the order of reading: code is left as it is, then what is strong, then what is stressed.
_MARKS: Final = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|(?<!\\)\*([^*]+?)(?<!\\)\*")


def as_page(title: str, about: Paragraph, documents: Sequence[Document]) -> str:
    """Return the page."""
    links = "\n".join(
        f'<a href="#part-{i}">{escape(document.title)}</a>' for i, document in enumerate(documents)
    )
    parts = "\n".join(_part(i, document) for i, document in enumerate(documents))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{_block(about)}
<nav>{links}</nav>
{parts}
</body>
</html>
"""


def _part(number: int, document: Document) -> str:
    blocks = "\n".join(map(_block, document.blocks))
    return f'<section id="part-{number}">\n<h2>{escape(document.title)}</h2>\n{blocks}\n</section>'


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{inline(block.text)}</p>"
    if isinstance(block, Table):
        return _table(block)
    return _picture(block)


def _table(table: Table) -> str:
    head = "".join(f"<th>{inline(cell)}</th>" for cell in table.head)
    body = "\n".join(
        f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in line)}</tr>" for line in table.body
    )
    note = f'\n<p class="note">{inline(table.note)}</p>' if table.note else ""
    return (
        f"<h3>{inline(table.title)}</h3>\n"
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        f"</table></div>{note}"
    )


def _picture(picture: Picture) -> str:
    data = b64encode(picture.png()).decode()
    caption = escape(picture.caption)
    return (
        f'<figure><img alt="{caption}" src="data:image/png;base64,{data}"/>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def inline(text: str) -> str:
    """Return a line of Markdown's code, strong and stressed words as HTML."""

    def marked(found: re.Match[str]) -> str:
        code, strong, stressed = found.groups()
        if code is not None:
            return f"<code>{code}</code>"
        return f"<strong>{strong}</strong>" if strong is not None else f"<em>{stressed}</em>"

    return _MARKS.sub(marked, escape(text)).replace("\\*", "*")
