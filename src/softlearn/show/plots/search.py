"""Plot the scores of a model search against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS: Final = {
    "search": "circuits while settings are found",
    "member": "circuits of the mixture",
}
_LOWEST: Final = 0.1  # share of the circuits that may lie below the plot


class Tried(Protocol):
    """The log of a search, such as the ``report_`` of an ``AutoCircuit``."""

    @property
    def table(self) -> Sequence[Mapping[str, Any]]:
        """One mapping for each fit, in order, with when it was finished and the scores."""


def search(report: Tried, *, ax: Axes | None = None) -> Axes:
    """Draw the scores of all circuits, and of the best model so far, against time.

    Parameters
    ----------
    report : SearchReport
        The ``report_`` of an ``AutoCircuit``.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    rows = getattr(report, "table", None)
    if not rows:
        raise SoftlearnError("pass the report_ of a fitted AutoCircuit")
    ax = one_axes(ax, 6.4, 3.2)
    style.quiet(ax, grid="y")
    scored = [row for row in rows if np.isfinite(row["score"])]
    for place, (stage, label) in enumerate(_LABELS.items()):
        own = [row for row in scored if row["stage"] == stage]
        if not own:
            continue
        ax.plot(
            [row["finished_at"] for row in own],
            [row["score"] for row in own],
            style.MARKERS[place],
            color=style.SERIES[place + 1],
            markersize=4,
            label=label,
        )
    known = [row for row in rows if np.isfinite(row["best"])]
    ax.step(
        [row["finished_at"] for row in known],
        [row["best"] for row in known],
        where="post",
        color=style.MODEL,
        label="best model so far",
    )
    if scored:
        low = float(np.quantile([row["score"] for row in scored], _LOWEST))
        high = max(row["best"] for row in known)
        room = (high - low) / 10 or 0.5
        ax.set_ylim(low - room, high + room)
    ax.set_xlabel("seconds", fontsize=style.NORMAL, color=style.INK)
    ax.set_ylabel("nats per row, held out", fontsize=style.NORMAL, color=style.INK)
    ax.legend(frameon=False, fontsize=style.SMALL)
    return ax
