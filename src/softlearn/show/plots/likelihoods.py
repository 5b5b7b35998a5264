"""A histogram of the log-densities of a table's rows, with the least likely ones marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.show.arguments import require_model
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes
from softlearn.show.wording import share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 50
_REACH = 8.0  # interquartile ranges below the median at which the plot ends
_NAMED = 5  # rows


def likelihoods(
    model: Model,
    frame: Frame,
    threshold: float | None = None,
    *,
    share: float = 0.01,
    unknown: Unknown = "error",
    ax: Axes | None = None,
) -> Axes:
    """Draw a histogram of the rows' log-densities, with the least likely rows marked.

    Parameters
    ----------
    model : Model
        The model.
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        The rows. Missing cells are summed out, so that rows with many of them seem more likely.
    threshold : float, optional
        The log-density below which a row is marked; by default ``share`` decides.
    share : float
        The share of the rows to mark, if there is no threshold.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    require_model(model)
    if not 0.0 <= share < 1.0:
        raise SoftlearnError(f"share lies between 0 and 1, not {share!r}")
    scores = model.score_samples(frame, unknown=unknown, extra="ignore")
    finite = scores[np.isfinite(scores)]
    if not finite.size:
        raise SoftlearnError("no row of the table is possible in this model, or it has no rows")
    limit = _limit(scores, share) if threshold is None else float(threshold)
    ax = one_axes(ax, 6.4, 3.2)
    _draw(ax, finite, limit)
    _explain(ax, scores, limit)
    return ax


def _limit(scores: Floats, share: float) -> float:
    """Return the log-density below which this share of the rows lies."""
    at = int(np.floor(share * scores.size))
    return float(np.partition(scores, at)[at])


def _draw(ax: Axes, finite: Floats, limit: float) -> None:
    """Draw the histogram; rows far to the left are gathered in its first bar."""
    low, middle, high = np.quantile(finite, [0.25, 0.5, 0.75])
    start = max(float(finite.min()), middle - _REACH * max(high - low, np.spacing(abs(middle))))
    edges = _edges(*_apart(start, float(finite.max())), limit)
    within = np.maximum(finite, edges[0])
    for name, some, colour in (
        ("usual rows", within[finite >= limit], style.DATA),
        ("least likely rows", within[finite < limit], style.ALERT),
    ):
        counts, _ = np.histogram(some, edges)
        ax.bar(edges[:-1], counts, np.diff(edges), align="edge", color=colour, label=name)
    style.quiet(ax, grid="y")
    style.count_axis(ax)
    if edges[0] <= limit <= edges[-1]:
        ax.axvline(limit, color=style.ALERT, linewidth=1.0)
    marked = within[finite < limit]
    height = np.full(marked.size, -0.02)
    ax.plot(
        marked,
        height,
        "|",
        color=style.ALERT,
        markersize=6,
        clip_on=False,
        transform=ax.get_xaxis_transform(),
    )
    ax.tick_params(axis="x", pad=7)  # below the marks
    beyond = int((finite < edges[0]).sum())
    if beyond:
        text = f"← {beyond:,} further, to {finite.min():.4g}"
        ax.annotate(
            text, (0.0, 0.3), xycoords="axes fraction", fontsize=style.SMALL, color=style.ALERT
        )


def _apart(low: float, high: float) -> tuple[float, float]:
    """Return two ends that differ, also if all rows are equally likely."""
    return (low, high) if high - low > np.spacing(abs(high)) * _BINS else (low - 0.5, high + 0.5)


def _edges(low: float, high: float, limit: float) -> Floats:
    """Return the borders of the bars; one of them is the limit, so that no bar is on both sides."""
    width = (high - low) / _BINS
    shift = (limit - low) % width if low < limit < high else 0.0
    return np.arange(low + shift - (width if shift else 0.0), high + 1.5 * width, width)


def _explain(ax: Axes, scores: Floats, limit: float) -> None:
    """Write how many rows are marked, and which."""
    marked = np.flatnonzero(scores < limit)
    order = marked[np.argsort(scores[marked], kind="stable")].tolist()
    impossible = int(np.isneginf(scores).sum())
    lines = [f"{len(order):,} of {scores.size:,} rows ({share_text(len(order) / scores.size)})"]
    lines[0] += f" below {limit:.4g}"
    if order:
        rest = ", …" if len(order) > _NAMED else ""
        lines.append(f"the least likely: row {', '.join(map(str, order[:_NAMED]))}{rest}")
    if impossible:
        lines.append(f"{impossible:,} impossible, not drawn")
    ax.set_title("\n".join(lines), loc="left", fontsize=style.SMALL, color=style.ALERT)
    ax.set_xlabel("log-density of a row", fontsize=style.NORMAL, color=style.INK)
    ax.set_ylabel("rows", fontsize=style.NORMAL, color=style.INK)
