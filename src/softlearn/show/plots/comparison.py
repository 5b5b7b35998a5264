"""Compare systems on several data sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from softlearn.errors import SoftlearnError
from softlearn.show.plots import style
from softlearn.show.plots.canvas import one_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUP = 0.7  # of a data set's height that its systems share
_NEEDED = ("dataset", "system", "value")


class _Result(NamedTuple):
    dataset: str
    system: str
    value: float
    sd: float


def comparison(
    table: Iterable[Mapping[str, Any]],
    relative_to: str | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the results of several systems on several data sets, as dots with error bars.

    Parameters
    ----------
    table : list of dicts
        One dict per result, with ``dataset``, ``system``, ``value`` and, if known, ``sd``. Data
        sets and systems are drawn in the order in which they come; a missing result leaves a gap.
    relative_to : str, optional
        A system whose value is taken off those of all systems on the same data set, which shows
        small differences between large values.
    ax : Axes, optional
        Where to draw; by default a new figure.
    """
    results = [_read(row) for row in table]
    if not results:
        raise SoftlearnError("the table holds no results")
    if relative_to is not None:
        results = _relative(results, relative_to)
    datasets = list(dict.fromkeys(one.dataset for one in results))
    systems = list(dict.fromkeys(one.system for one in results))
    height = 0.9 + len(datasets) * max(0.28, 0.13 * len(systems))
    ax = one_axes(ax, 6.4, height)
    style.quiet(ax, grid="x")
    for place, system in enumerate(systems):
        own = [one for one in results if one.system == system]
        offset = _GROUP * ((place + 0.5) / len(systems) - 0.5)
        at = [datasets.index(one.dataset) + offset for one in own]
        ax.errorbar(
            [one.value for one in own],
            at,
            xerr=[one.sd for one in own],
            fmt=style.MARKERS[place % len(style.MARKERS)],
            color=style.SERIES[place % len(style.SERIES)],
            markersize=5,
            elinewidth=1.4,
            label=style.plain(system, 28),
        )
    _dress(ax, datasets, relative_to)
    return ax


def _read(row: Mapping[str, Any]) -> _Result:
    """Return one result, or say what it lacks."""
    missing = [name for name in _NEEDED if name not in row]
    if missing:
        raise SoftlearnError(f"the result {dict(row)!r} has no {missing[0]!r}")
    sd = row.get("sd")
    sd = 0.0 if sd is None or math.isnan(sd) else float(sd)
    return _Result(str(row["dataset"]), str(row["system"]), float(row["value"]), sd)


def _relative(results: list[_Result], system: str) -> list[_Result]:
    """Return the differences of the results from those of one system."""
    base = {one.dataset: one.value for one in results if one.system == system}
    lacking = [one.dataset for one in results if one.dataset not in base]
    if lacking:
        known = ", ".join(sorted({one.system for one in results}))
        raise SoftlearnError(
            f"there is no result of {system!r} on {lacking[0]!r} to compare with; systems: {known}"
        )
    return [one._replace(value=one.value - base[one.dataset]) for one in results]


def _dress(ax: Axes, datasets: list[str], relative_to: str | None) -> None:
    """Write the names, and a line between one data set and the next."""
    ax.set_yticks(range(len(datasets)), [style.plain(name, 24) for name in datasets])
    ax.set_ylim(len(datasets) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    for border in range(1, len(datasets)):
        ax.axhline(border - 0.5, color=style.FAINT, linewidth=0.8, zorder=0.5)
    if relative_to is not None:
        ax.axvline(0.0, color=style.QUIET, linewidth=1.0, zorder=0.6)
        text = f"difference from {style.plain(relative_to)}"
        ax.set_xlabel(text, fontsize=style.NORMAL, color=style.INK)
    style.legend(ax, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, borderaxespad=0.2)
