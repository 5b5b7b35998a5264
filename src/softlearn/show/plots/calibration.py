"""Whether predicted probabilities come true on rows that the model has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import EvidenceError
from softlearn.model import Model
from softlearn.model.asking import Conditions, as_event
from softlearn.model.given import Frame, Unknown
from softlearn.query import Evidence, conditional_log_probability
from softlearn.show.arguments import require_model
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes
from softlearn.table import Schema, encode

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 10
_NARROWEST = 0.04  # bins of nearly equal predictions are merged, because their dots would overlap
_Z = 1.959964  # half-width of a 95 % interval, in standard deviations of a normal
_STRIP = 0.12  # height of the histogram of predictions


class _Bins(NamedTuple):
    """Rows of similar prediction: each array is (bins,)."""

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    n_rows: Floats


def calibration(
    model: Model,
    frame: Frame,
    event: Conditions,
    *,
    unknown: Unknown = "error",
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed frequency of an event against its predicted probability.

    Each row is asked for the probability of the event given its other cells. Rows are gathered in
    up to ten bins of about equal size, whose numbers of rows are written. The bars are 95 % Wilson
    intervals: where one misses the diagonal, predictions are off by more than chance explains in
    nineteen cases of twenty. The grey strip shows which probabilities were predicted.

    Parameters
    ----------
    model : Model
        The model.
    frame : pandas or polars DataFrame, pyarrow Table or 2-D NumPy array
        Rows that were not used for learning. Those in which a cell of the event is missing, or
        whose other cells are impossible, are left out and counted.
    event : dict
        What may be true of a row, such as ``{"car": "none"}`` or ``{"age": (30, 40)}``.
    unknown : {"error", "missing"}
        Whether an unknown level is an error, or treated as missing.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    require_model(model)
    values = encode(frame, model.schema, unknown=unknown, extra="ignore")
    evidence = as_event(event, model.schema)
    if not event:
        raise EvidenceError("name an event, such as {'car': 'none'}")
    known, happened = _outcome(values, evidence, model.schema, list(event))
    others = values[:, known]
    others[[model.schema.index(name) for name in event]] = np.nan
    log_probability = conditional_log_probability(
        model.circuit, evidence.repeat(others.shape[1]), Evidence(others), impossible="nan"
    )
    possible = ~np.isnan(log_probability)
    if not possible.any():
        raise EvidenceError(
            "no row of the table can be used: its cells of the event are missing, or it is "
            "impossible in the model"
        )
    predicted, came_true = np.exp(log_probability[possible]), happened[possible]
    ax = one_axes(ax, 4.4, 4.4)
    _draw(ax, predicted, _binned(predicted, came_true))
    left_out = values.shape[1] - predicted.size
    brier = float(((predicted - came_true) ** 2).mean())
    _explain(ax, event, predicted.size, left_out, f"Brier score {brier:.3f}")
    return ax


def _outcome(
    values: Floats, evidence: Evidence, schema: Schema, names: list[str]
) -> tuple[Bools, Bools]:
    """Return in which rows the event's cells are observed, and in which of those it is true."""
    positions = [schema.index(name) for name in names]
    known: Bools = np.asarray(~np.isnan(values[positions]).any(axis=0))
    true = np.ones(int(known.sum()), dtype=bool)
    for position in positions:
        cells, column = values[position, known], schema.columns[position]
        if column.is_discrete:
            true &= evidence.allowed_levels(position, column.n_levels)[0, cells.astype(np.intp)]
        elif position in evidence.intervals:
            bounds = evidence.intervals[position]
            true &= (cells >= bounds.lo[0]) & (cells <= bounds.hi[0])
        elif position in evidence.listed:
            true &= np.isin(cells, evidence.listed[position].values)
    return known, true


def _binned(predicted: Floats, came_true: Bools) -> _Bins:
    """Return rows of similar prediction together; equal predictions are never separated."""
    borders: list[float] = []
    for border in np.quantile(predicted, np.arange(1, _BINS) / _BINS).tolist():
        if border - (borders[-1] if borders else 0.0) >= _NARROWEST:
            borders.append(border)
    place = np.searchsorted(np.array(borders), predicted, side="right")
    _, place = np.unique(place, return_inverse=True)
    count = np.bincount(place).astype(np.float64)
    observed = np.bincount(place, came_true) / count
    return _Bins(np.bincount(place, predicted) / count, observed, *wilson(observed, count), count)


def wilson(share: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Return both ends of the 95 % Wilson interval of shares that were observed in counts."""
    shrink = 1.0 + _Z**2 / count
    centre = (share + _Z**2 / (2.0 * count)) / shrink
    half = _Z * np.sqrt(share * (1.0 - share) / count + _Z**2 / (4.0 * count**2)) / shrink
    return centre - half, centre + half


def _draw(ax: Axes, predicted: Floats, bins: _Bins) -> None:
    style.quiet(ax, grid="both")
    counts, edges = np.histogram(predicted, np.linspace(0.0, 1.0, 41))
    height = _STRIP * counts / counts.max()
    ax.bar(edges[:-1], height, np.diff(edges), align="edge", color=style.DATA, label="predictions")
    ax.plot([0.0, 1.0], [0.0, 1.0], color=style.QUIET, linewidth=1.0, linestyle=(0, (4, 3)))
    ax.vlines(bins.predicted, bins.low, bins.high, color=style.MODEL, linewidth=2.0, alpha=0.6)
    ax.plot(bins.predicted, bins.observed, "o", color=style.MODEL, markersize=5, label="rows")
    for x, y, count in zip(bins.predicted, bins.high, bins.n_rows, strict=True):
        ax.annotate(
            f"{count:.0f}",
            (x, y),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=style.SMALL - 2,
            color=style.QUIET,
        )
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.06)
    ax.set_aspect("equal")
    for which, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        style.share_axis(ax, which)
        axis.set_ticks(np.linspace(0.0, 1.0, 6).tolist())


def _explain(ax: Axes, event: Conditions, n_rows: int, n_left_out: int, score: str) -> None:
    """Write the event, the counts, and the labels of the axes."""
    text = ", ".join(f"{name} = {what}" for name, what in event.items())
    left = f", {n_left_out:,} left out" if n_left_out else ""
    style.title(ax, text)
    ax.set_xlabel(
        f"predicted\n{n_rows:,} rows{left} · {score}", fontsize=style.NORMAL, color=style.INK
    )
    ax.set_ylabel("observed frequency, 95 % interval", fontsize=style.NORMAL, color=style.INK)
