"""Plot how one column changes with another: probabilities, or mean and standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import EvidenceError
from softlearn.model import Model
from softlearn.model.asking import Conditions
from softlearn.model.given import read_mapping
from softlearn.query import Evidence, mean, posteriors, variance
from softlearn.show.arguments import require_model
from softlearn.show.distributions import GivenDistributions
from softlearn.show.plots import scale, style
from softlearn.show.plots.canvas import one_axes
from softlearn.show.plots.levels import shown_levels
from softlearn.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 160
_TAIL = 0.01  # of the other column's probability that lies beyond each end of the axis
_MOST_LEVELS = 6
_MOST_PLACES = 12  # levels of the other column
_ROOM = 1.1  # height of the axis of probabilities, in times the highest one
_STRIP = 0.1  # height of the strip that shows where the other column is likely


def conditional(
    model: Model, of: str, on: str, given: Conditions | None = None, *, ax: Axes | None = None
) -> Axes:
    """Plot how the distribution of one column depends on another.

    For a discrete ``of`` it is the probability of each level, for numbers and times the expected
    value with one standard deviation to each side. The grey strip at the bottom shows where ``on``
    is likely; elsewhere the model has seen little, and a gap is impossible.

    Parameters
    ----------
    model : Model
        The model.
    of : str
        The column that is question about.
    on : str
        The column that takes one value after another.
    given : dict, optional
        What else is known, as ``{column: what}``.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    require_model(model)
    question = _ask(model, of, on, given)
    ax = one_axes(ax, 5.6, 3.4)
    style.quiet(ax, grid="x" if question.on.is_discrete else "y")
    if question.on.is_discrete:
        _draw_places(ax, question)
    else:
        _draw_curves(ax, question)
    style.title(ax, f"{of} given {on}", _known(given))
    return ax


@dataclass(frozen=True, eq=False)
class _Question:
    """A conditional query about some columns, and the answers."""

    of: Column
    on: Column
    at: Floats  # (points,) the values or codes of the other column
    likely: Floats  # (points,) how likely they are, beside the most likely
    shares: Floats  # (points, levels) of a discrete column
    mean: Floats  # (points,) of a continuous one
    deviation: Floats


def _ask(model: Model, of: str, on: str, given: Conditions | None) -> _Question:
    """Return the answers for every value of the other column, in one batch."""
    schema, known = model.schema, given or {}
    target, other = schema.index(of), schema.index(on)
    for name in (of, on):
        if name in known:
            raise EvidenceError(f"column {name!r} is what is drawn, so it cannot also be given")
    if target == other:
        raise EvidenceError(f"of and on are both {of!r}; name two different columns")
    distributions = GivenDistributions(model, [other], given)
    at, likely = _moving(schema.columns[other], distributions, other)
    rows = read_mapping(given, schema).evidence.repeat(at.size)
    rows.values[other] = at
    shares, centre, spread = np.empty((at.size, 0)), np.empty(0), np.empty(0)
    if schema.columns[target].is_discrete:
        shares = posteriors(model.circuit, rows, columns=[target], impossible="nan").levels(target)
    else:
        centre, spread = _moments(model, rows, target)
    return _Question(
        schema.columns[target], schema.columns[other], at, likely, shares, centre, spread
    )


def _moving(
    column: Column, distributions: GivenDistributions, position: int
) -> tuple[Floats, Floats]:
    """Return the values of the other column, and how likely each is beside the most likely."""
    if column.is_discrete:
        likely = distributions.levels(position)
        kept = np.sort(np.argsort(-likely, kind="stable")[:_MOST_PLACES])
        return kept.astype(np.float64), likely[kept]
    at = scale.steps(column, scale.model_ranges(distributions, [position], _TAIL)[0], _POINTS)
    middle = 0.5 * (at[:-1] + at[1:])
    edges = np.concatenate([[2 * at[0] - middle[0]], middle, [2 * at[-1] - middle[-1]]])
    likely = distributions.between(position, edges) / np.diff(edges)
    if column.scale is not None:  # values that stand out must not hide the rest
        others = likely[np.histogram(column.scale.atoms, edges)[0] == 0].max(initial=0.0)
        likely = np.minimum(likely, others or likely.max())
    return at, likely / likely.max()


def _moments(model: Model, rows: Evidence, target: int) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of a column in each row."""
    centre = mean(model.circuit, rows, [target], impossible="nan")[:, 0]
    spread = variance(model.circuit, rows, [target], impossible="nan")[:, 0]
    return centre, np.sqrt(np.maximum(spread, 0.0))


def _draw_curves(ax: Axes, question: _Question) -> None:
    """Draw curves over a column of numbers or times."""
    x = scale.as_axis(question.on, question.at)
    if question.of.is_discrete:
        names, shares = _drawn_levels(question)
        for place, name in enumerate(names):
            colour = style.SERIES[place % len(style.SERIES)]
            ax.plot(x, shares[:, place], color=colour, linewidth=1.8, label=name)
        ax.set_ylim(0.0, _top(shares))
        style.share_axis(ax, "y")
        ax.set_ylabel(f"P({style.axis_name(question.of)})", fontsize=style.NORMAL, color=style.INK)
        style.legend(ax, loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        centre = scale.as_axis(question.of, question.mean)
        spread = scale.as_axis(question.of, question.deviation)
        ax.fill_between(
            x, centre - spread, centre + spread, color=style.MODEL, alpha=0.15, linewidth=0
        )
        ax.plot(x, centre, color=style.MODEL, linewidth=1.8)
        scale.dress(ax, question.of, "y")
        ax.set_ylabel(_mean_name(question.of), fontsize=style.NORMAL, color=style.INK)
    ax.fill_between(
        x,
        _STRIP * question.likely,
        color=style.QUIET,
        alpha=0.35,
        linewidth=0,
        transform=ax.get_xaxis_transform(),
        zorder=0.5,
    )
    ax.set_xlim(x[0], x[-1])
    scale.dress(ax, question.on, "x")
    ax.set_xlabel(style.axis_name(question.on), fontsize=style.NORMAL, color=style.INK)


def _draw_places(ax: Axes, question: _Question) -> None:
    """Draw a row for each level of a discrete column."""
    places = np.arange(question.at.size)
    if question.of.is_discrete:
        names, shares = _drawn_levels(question)
        left = np.zeros(places.size)
        for series, name in enumerate(names):
            width = np.nan_to_num(shares[:, series])
            colour = style.SERIES[series % len(style.SERIES)]
            ax.barh(places, width, 0.7, left=left, color=colour, label=name, edgecolor="white")
            left += width
        ax.set_xlim(0.0, min(1.0, _top(left)))
        style.share_axis(ax, "x")
        style.legend(ax, loc="center left", bbox_to_anchor=(1.0, 0.5))
        ax.set_xlabel(f"P({style.axis_name(question.of)})", fontsize=style.NORMAL, color=style.INK)
    else:
        centre = scale.as_axis(question.of, question.mean)
        spread = scale.as_axis(question.of, question.deviation)
        ax.errorbar(
            centre, places, xerr=spread, fmt="o", color=style.MODEL, markersize=6, elinewidth=2
        )
        scale.dress(ax, question.of, "x")
        ax.set_xlabel(_mean_name(question.of), fontsize=style.NORMAL, color=style.INK)
    names_on = [style.plain(str(question.on.levels[int(code)]), 20) for code in question.at]
    ax.set_yticks(places, names_on)
    ax.set_ylim(places.size - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel(style.axis_name(question.on), fontsize=style.NORMAL, color=style.INK)


def _drawn_levels(question: _Question) -> tuple[tuple[str, ...], Floats]:
    """Return the names of the drawn levels and their probability at each point."""
    weight = question.likely / question.likely.sum()
    importance = weight @ np.nan_to_num(question.shares)
    if question.of.kind == "boolean":  # one curve says it all
        return (str(question.of.levels[1]),), question.shares[:, 1:]
    shown = shown_levels(question.of, importance, _MOST_LEVELS)
    return shown.names, shown.gathered(question.shares)


def _top(shares: Floats) -> float:
    """Return the upper end of an axis of probabilities, a little above the highest one."""
    return min(1.02, _ROOM * float(np.nanmax(shares)))


def _mean_name(column: Column) -> str:
    return f"{style.axis_name(column)}, mean ± deviation"


def _known(given: Conditions | None) -> str:
    """Return what is given, as a note."""
    text = ", ".join(f"{name} = {what}" for name, what in (given or {}).items())
    return f"where {text}" if text else ""
