"""The axis of a continuous column: its range, its bins, and its ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from softlearn.arrays import Floats
from softlearn.show.distributions import GivenDistributions
from softlearn.table import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TAIL = 0.002  # of the probability that may lie beyond each end of an axis
_MOST_BINS = 40
_FEWEST_BINS = 12
_FINE_BINS = 80
_QUARTERS = 2.12  # the quartiles of a normal distribution are so many times its densest quarter
_MANY = 2000  # values that fine bins need
_MOST_NUMBERS = 60  # up to so many whole numbers, each has a bar
_SECONDS_PER_DAY = 86_400.0


def model_ranges(
    distributions: GivenDistributions, positions: list[int], tail: float = _TAIL
) -> list[Floats]:
    """Return the two ends between which nearly all of each column's probability lies."""
    return [widened(ends) for ends in distributions.quantiles(positions, [tail, 1.0 - tail])]


def data_range(values: Floats) -> Floats:
    """Return the two ends between which nearly all values lie."""
    return np.quantile(values, [_TAIL, 1.0 - _TAIL])


def widened(ends: Floats) -> Floats:
    """Return two different ends, also for a column that holds one value."""
    if ends[1] > ends[0]:
        return ends
    room = max(abs(float(ends[0])) / 100, 0.5)
    return np.array([ends[0] - room, ends[1] + room])


def bins(column: Column, ends: Floats, values: Floats, *, fine: bool = False) -> Floats:
    """Return the edges of histogram bins; whole numbers are never cut apart.

    Fine bins show values that stand out among their neighbours.
    """
    low, high = widened(ends).tolist()
    n = _FINE_BINS if fine and values.size >= _MANY else _n_bins(values, high - low)
    if column.kind == "integer" and high - low < _MOST_NUMBERS:
        n = _MOST_NUMBERS
    return even_cuts(column, ends, n)


def steps(column: Column, ends: Floats, n: int) -> Floats:
    """Return about n values from end to end; of an integer column whole ones."""
    if column.kind == "integer":
        low, high = float(np.ceil(ends[0])), float(np.floor(ends[1]))
        whole: Floats = np.unique(np.rint(np.linspace(low, high, n)))
        return whole if whole.size > 1 else np.array([low - 1.0, low, low + 1.0])
    low, high = widened(ends).tolist()
    return np.linspace(low, high, n)


def as_axis(column: Column, values: Floats) -> Floats:
    """Return values in the unit of the axis: matplotlib counts times in days since 1970."""
    return values / _SECONDS_PER_DAY if column.kind == "datetime" else values


def dress(ax: Axes, column: Column, which: Literal["x", "y"], *, narrow: bool = False) -> None:
    """Give an axis few and readable ticks: dates for times, whole numbers for integers."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter  # noqa: PLC0415
    from matplotlib.ticker import EngFormatter, MaxNLocator  # noqa: PLC0415

    axis = ax.xaxis if which == "x" else ax.yaxis
    if column.kind == "datetime":
        places = AutoDateLocator(minticks=2, maxticks=3 if narrow else 5)  # type: ignore[no-untyped-call]
        axis.set_major_locator(places)
        axis.set_major_formatter(ConciseDateFormatter(places))  # type: ignore[no-untyped-call]
        return
    axis.set_major_locator(MaxNLocator(nbins=3 if narrow else 4, integer=column.kind == "integer"))
    ends = ax.get_xlim() if which == "x" else ax.get_ylim()
    if max(map(abs, ends)) >= 10_000:
        axis.set_major_formatter(EngFormatter(sep=""))


def _n_bins(values: Floats, width: float) -> int:
    """Return the number of bins by Freedman and Diaconis' rule, within reason.

    The spread is that of the densest quarter of the values, so that a narrow peak beside a wide
    one is seen; between the quartiles lies also what is between the peaks.
    """
    if values.size < 2:
        return _FEWEST_BINS
    most = int(np.clip(2.0 * np.sqrt(values.size), _FEWEST_BINS, _MOST_BINS))
    ordered, quarter = np.sort(values), -(-values.size // 4)
    densest = float((ordered[quarter:] - ordered[:-quarter]).min())
    step = 2.0 * _QUARTERS * densest / np.cbrt(values.size)
    return int(np.clip(width / step, _FEWEST_BINS, most)) if step > 0.0 else most


def middles(edges: Floats) -> Floats:
    """Return the values half-way between edges."""
    return 0.5 * (edges[:-1] + edges[1:])


def even_cuts(column: Column, ends: Floats, n: int) -> Floats:
    """Return the edges of about n cells of one width; whole numbers are never cut apart."""
    low, high = widened(ends).tolist()
    if column.kind != "integer":
        return np.linspace(low, high, n + 1)
    low, high = np.floor(low), np.ceil(high)
    step = max(1.0, np.ceil((high - low + 1.0) / n))
    return np.arange(low - 0.5, high + 0.5 + step, step)
