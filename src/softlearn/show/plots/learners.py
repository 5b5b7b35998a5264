"""Learners side by side: held-out score, time and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def learners(table: Sequence[Mapping[str, Any]], *, ax: Axes | None = None) -> Axes:
    """Draw the scores of held-out rows with their standard errors; time and size stand beside.

    Parameters
    ----------
    table : list of mappings
        The ``table`` of what ``compare`` returns: ``learner``, ``held_out``, ``error``,
        ``fit_seconds`` and ``edges`` of each learner. Learners without a score are left out.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    rows = [row for row in table if np.isfinite(row["held_out"])]
    if not rows:
        raise SoftlearnError(
            "no learner has a score to draw; pass the table of what compare returns"
        )
    ax = one_axes(ax, 6.4, 1.0 + 0.3 * len(rows))
    style.quiet(ax, grid="x")
    places = np.arange(len(rows))
    ax.errorbar(
        [row["held_out"] for row in rows],
        places,
        xerr=[row["error"] for row in rows],
        fmt="o",
        color=style.MODEL,
        ecolor=style.DATA,
        elinewidth=3.0,
        markersize=5,
    )
    for place, row in zip(places.tolist(), rows, strict=True):
        ax.annotate(
            f"{row['fit_seconds']:.2g} s, {row['edges']:,} edges",
            (1.0, place),
            (6.0, 0.0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALL,
            color=style.QUIET,
        )
    ax.set_yticks(places, [style.plain(row["learner"]) for row in rows])
    ax.invert_yaxis()
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel("nats per row, held out", fontsize=style.NORMAL, color=style.INK)
    return ax
