"""The circuit drawn as a tree from left to right, folded where it would be too large to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.show.arguments import require_model
from softlearn.show.outline import Entry, Link, outline
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes
from softlearn.show.plots.structure_labels import Labels, written_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.58  # inches that an end of the tree takes
_STEP = 2.3  # inches from parent to child
_NARROW_STEP = 1.5
_WIDEST = 18.0  # inches that all steps may take before they become narrow
_ROOM = 4.2  # inches for the texts at the right end
_SIGNS = {"sum": "+", "product": "×"}
_MEANING = {
    "sum": "+ kinds of rows, each with its share",
    "product": "× groups of columns that are independent within a kind",
    "columns": "● columns, each by itself",
    "folded": "■ not drawn",
}


def structure(model: Model, max_nodes: int = 40, *, ax: Axes | None = None) -> Axes:
    """Draw the circuit: sums that split the rows, products that split the columns.

    The edges of a sum carry the share of the rows, and below it what distinguishes a branch from
    the whole of that sum. Lines are as thick as the share of all rows that pass. Columns without
    further structure are written together. Dashed lines lead to parts that are shared.

    Parameters
    ----------
    model : Model
        The model, of any size.
    max_nodes : int
        How many nodes to draw, at most. The heaviest are opened first; the others are folded.
    ax : Axes, optional
        Where to draw; by default a new figure that is as large as the drawing needs.
    """
    require_model(model)
    if isinstance(max_nodes, bool) or not isinstance(max_nodes, int) or max_nodes < 1:
        raise SoftlearnError(f"max_nodes must be a whole number, 1 or more, not {max_nodes!r}")
    entries = outline(model.circuit, max_nodes)
    depth = max(entry.depth for entry in entries)
    step = max(_NARROW_STEP, min(_STEP, _WIDEST / max(depth, 1)))
    labels = written_labels(model, entries, letters=int(step * 15))
    rows = _rows(entries)
    height = max(1.4, _ROW * (1 + max(rows)) + 0.5)
    ax = one_axes(ax, depth * step + _ROOM, height)
    for place, entry in enumerate(entries):
        for link in entry.links:
            _draw_link(ax, (entry, entries[link.child]), (rows[place], rows[link.child]), link)
            if link.in_tree:
                _write_link(ax, entry, rows[link.child], labels.links[place, link.child])
    for place, entry in enumerate(entries):
        _draw_entry(ax, entry, rows[place], labels, place)
    ax.set_xlim(-0.15, depth + _ROOM / step)
    ax.set_ylim(max(rows) + 0.8, -0.8)
    ax.axis("off")
    circuit = model.circuit
    note = f"{circuit.n_nodes:,} nodes, {circuit.n_edges:,} edges, {len(entries)} drawn"
    ax.set_title(f"{note}\n{_legend(entries)}", loc="left", fontsize=style.SMALL, color=style.QUIET)
    return ax


def _legend(entries: list[Entry]) -> str:
    """Return the legend of the symbols that are drawn."""
    kinds = {entry.kind for entry in entries}
    return " · ".join(text for kind, text in _MEANING.items() if kind in kinds)


def _rows(entries: list[Entry]) -> list[float]:
    """Return the height of each entry: ends stand in a row each, parents beside their middle."""
    rows = [0.0] * len(entries)
    n_ends, pending = 0, [(0, False)]
    while pending:
        place, is_done = pending.pop()
        below = [link.child for link in entries[place].links if link.in_tree]
        if is_done:
            rows[place] = 0.5 * (rows[below[0]] + rows[below[-1]])
        elif below:
            pending += [(place, True), *((child, False) for child in reversed(below))]
        else:
            rows[place] = float(n_ends)
            n_ends += 1
    return rows


def _draw_link(ax: Axes, ends: tuple[Entry, Entry], rows: tuple[float, float], link: Link) -> None:
    """Draw an edge: down and then right, or dashed and straight to a part that is shared."""
    (parent, child), (top, bottom) = ends, rows
    share = 1.0 if link.share is None else link.share
    width = 0.7 + 3.3 * parent.mass * share
    if link.in_tree:
        path = [parent.depth, parent.depth, child.depth], [top, bottom, bottom]
        ax.plot(*path, color=style.DATA, linewidth=width, zorder=1, solid_joinstyle="round")
    else:
        path = [parent.depth, child.depth], [top, bottom]
        ax.plot(*path, color=style.QUIET, linewidth=1.0, linestyle=(0, (3, 3)), zorder=1)


def _write_link(ax: Axes, parent: Entry, row: float, text: tuple[str, str]) -> None:
    """Write the share above an edge, and what distinguishes the branch below it."""
    share, difference = text
    x = parent.depth + 0.08
    if share:
        ax.text(x, row - 0.08, share, va="bottom", fontsize=style.SMALL, color=style.MODEL)
    if difference:
        small = style.SMALL - 1.0
        ax.text(
            x, row + 0.1, difference, va="top", fontsize=small, color=style.INK, linespacing=1.15
        )


def _draw_entry(ax: Axes, entry: Entry, row: float, labels: Labels, place: int) -> None:
    """Draw a node with its sign, or an end with its text."""
    sign = _SIGNS.get(entry.kind)
    if sign is not None:
        face = style.MODEL if entry.kind == "sum" else "white"
        ink = "white" if entry.kind == "sum" else style.MODEL
        marker = "o" if entry.kind == "sum" else "s"
        ax.plot(
            entry.depth,
            row,
            marker,
            markersize=13,
            markerfacecolor=face,
            markeredgecolor=style.MODEL,
            zorder=2,
        )
        ax.text(
            entry.depth,
            row,
            sign,
            ha="center",
            va="center_baseline",
            fontsize=style.NORMAL + 1,
            color=ink,
            zorder=3,
        )
        return
    is_open = entry.kind == "columns"
    colour = style.MODEL if is_open else style.QUIET
    ax.plot(entry.depth, row, "o" if is_open else "s", markersize=5, color=colour, zorder=2)
    text = labels.ends[place]
    ink = style.INK if is_open else style.QUIET
    ax.text(entry.depth + 0.06, row, text, va="center", fontsize=style.SMALL, color=ink)
