"""The labels of a drawn circuit: shares, differences of branches, and summaries of columns."""

from __future__ import annotations

from dataclasses import dataclass

from softlearn.circuit import PRODUCT, Circuit, scopes
from softlearn.model import Model
from softlearn.show.cells import over_cells, quantile_cells
from softlearn.show.outline import Entry
from softlearn.show.plots.style import plain
from softlearn.show.shifts import Parts
from softlearn.show.wording import share_text

_END_LETTERS = 62  # at the right of an end
_SHIFTS = 2  # columns named on a branch


@dataclass(frozen=True, slots=True)
class Labels:
    """The texts: of each end by its place, and (share, difference) of each link by its ends."""

    ends: dict[int, str]
    links: dict[tuple[int, int], tuple[str, str]]


def written_labels(model: Model, entries: list[Entry], letters: int) -> Labels:
    """Return all texts; those on links have so many letters at most."""
    circuit, cells = model.circuit, quantile_cells(model)
    starts = [entry.nodes if entry.kind != "rest" else entry.nodes[:1] for entry in entries]
    parts = Parts(circuit, over_cells(circuit, cells), cells, starts)
    scope_of = scopes(circuit)
    ends, links = {}, {}
    for place, entry in enumerate(entries):
        if entry.kind == "columns":
            scope = sum(scope_of[node] for node in entry.nodes)
            ends[place] = _columns_text(parts, place, _columns_in(scope))
        elif entry.kind == "folded":
            ends[place] = _folded_text(circuit, entry.nodes[0], scope_of, parts.n_below(place))
        elif entry.kind == "rest":
            ends[place] = f"{len(entry.nodes)} more branches"
        for link in entry.links:
            hover = ""
            if link.share is not None and entries[link.child].kind != "rest":
                hover = "\n".join(
                    plain(shift.short, letters)
                    for shift in parts.shifts(link.child, place, _SHIFTS)
                )
            links[place, link.child] = ("" if link.share is None else share_text(link.share), hover)
    return Labels(ends, links)


def _columns_text(parts: Parts, place: int, columns: list[int]) -> str:
    """Return what some independent columns hold, as many as there is room for."""
    text = ""
    for n_told, column in enumerate(columns):
        one = plain(parts.summary(place, column), _END_LETTERS)
        if text and len(text) + len(one) > _END_LETTERS:
            return f"{text}, +{len(columns) - n_told} more"
        text = f"{text}, {one}" if text else one
    return text


def _folded_text(circuit: Circuit, node: int, scope_of: list[int], n_below: int) -> str:
    kind = "product" if circuit.kind[node] == PRODUCT else "sum"
    return f"{kind} of {scope_of[node].bit_count()} columns, {n_below:,} nodes"


def _columns_in(scope: int) -> list[int]:
    """Return the positions of the bits of a scope."""
    return [position for position in range(scope.bit_length()) if scope >> position & 1]
