"""HTML for notebooks: tables, bars and curves without script, readable on light and on dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_LINE = "1px solid rgba(127,127,127,.28)"
_CELL = f"padding:2px 10px;text-align:left;border:0;border-bottom:{_LINE};white-space:nowrap"
_HEAD = f"{_CELL};font-weight:600;opacity:.75"
_ACCENT = "rgba(52,132,172,.75)"
_BAR_WIDTH = 140  # pixels of a probability of one
_CURVE_WIDTH, _CURVE_HEIGHT = 240, 48


class Html(str):
    """Text that is markup already; all other text is escaped."""

    __slots__ = ()


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", rest: int = 0
) -> Html:
    """Return a table; ``rest`` says how many more rows there would be."""
    title = f'<div style="font-weight:600;margin:2px 0 4px">{_text(caption)}</div>'
    names = "".join(f'<th style="{_HEAD}">{_text(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{_text(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    more = f'<div style="opacity:.75;padding:3px 10px">and {rest:,} more</div>' if rest > 0 else ""
    return Html(
        f'<div style="font-size:13px;line-height:1.5">{title if caption else ""}'
        f'<table style="border-collapse:collapse;border:0"><thead><tr>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def bar(share: float) -> Html:
    """Return a bar as long as a probability."""
    width = round(_BAR_WIDTH * min(max(share, 0.0), 1.0), 1)
    return Html(
        f'<div style="width:{width}px;height:10px;background:{_ACCENT};border-radius:2px"></div>'
    )


def curve(heights: Sequence[float]) -> Html:
    """Return a small area chart of steps, one for each height."""
    top = max(heights, default=0.0) or 1.0
    step = _CURVE_WIDTH / max(len(heights), 1)
    points = " ".join(
        f"{step * (i + side):.1f},{_CURVE_HEIGHT * (1 - height / top):.1f}"
        for i, height in enumerate(heights)
        for side in (0, 1)
    )
    area = f"0,{_CURVE_HEIGHT} {points} {_CURVE_WIDTH},{_CURVE_HEIGHT}"
    return Html(
        f'<svg width="{_CURVE_WIDTH}" height="{_CURVE_HEIGHT}" role="img" '
        f'style="display:block;margin:4px 0"><polygon points="{area}" fill="{_ACCENT}"/></svg>'
    )


def block(*parts: str) -> Html:
    """Return several parts below each other."""
    inner = "".join(f"<div>{_text(part)}</div>" for part in parts)
    return Html(f'<div style="font-size:13px;line-height:1.5">{inner}</div>')


def _text(what: str) -> str:
    return str(what) if isinstance(what, Html) else escape(what)
