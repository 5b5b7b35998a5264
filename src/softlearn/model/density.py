"""The distribution of one column of numbers or times, given what is known."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.leaf import GAUSSIAN, Cells, Family, Interval, Known, Listed, log_ratio
from softlearn.markup import block, curve
from softlearn.model.asking import read_cell
from softlearn.table import Column, decode_value

# Numbers; for a datetime column, datetimes.
Point: TypeAlias = Any
Points: TypeAlias = Any

# Every fifth step halves a bracket: sixty halvings take it below the resolution of its own width.
_HALVE_EVERY = 5
_STEPS = 60 * _HALVE_EVERY
_RESOLUTION = 8.0 * float(np.finfo(np.float64).eps)  # relative; a few roundings
# Beyond this many nats a difference of logarithms loses digits that a ratio keeps.
_FAR = -1000.0
_TINY = float(np.finfo(np.float64).tiny)
_SPARKS = "▁▂▃▄▅▆▇█"
_SPARK_BINS = 32
_CURVE_BINS = 60
_LARGE, _HUGE = 1e4, 1e9  # between them numbers are written in full, without an exponent


class Part(NamedTuple):
    """Leaves of one family, and the probability of each; all of them are possible."""

    family: Family
    params: Floats  # (leaves, parameters)
    weight: Floats  # (leaves,)


class Drawing(NamedTuple):
    """A density as numbers for drawing, in the floats that circuits read; times are seconds.

    Attributes
    ----------
    shares
        (edges + 1,) the probability below the first edge, between edges, and above the last one.
    quantiles
        (levels,) the values below which the column lies with these probabilities.
    mean
        The expected value.
    """

    shares: Floats
    quantiles: Floats
    mean: float


class DensityDistribution:
    """The distribution of a column of numbers or times; it prints as a summary.

    Values of a datetime column are datetimes, their ``std`` is in seconds and their density per
    second. Where missing cells are modelled, all but ``missing`` is about cells that are not.

    Attributes
    ----------
    column
        The column's name.
    """

    def __init__(self, column: Column, lo: float, hi: float) -> None:
        self.column = column.name
        self._about = column
        self._lo, self._hi = float(lo), float(hi)
        self._within = Interval(np.array(lo), np.array(hi))

    @property
    def mean(self) -> Point:
        """The expected value."""
        return self._decoded(self._mean)

    @cached_property
    def std(self) -> float:
        """The standard deviation."""
        # Far out the mean is rounded to the nearest float, which may be deviations away.
        off = self._expected(1, self._mean)
        return math.sqrt(max(self._expected(2, self._mean) - off * off, 0.0))

    @property
    def missing(self) -> float:
        """The probability that the cell is missing; 0 unless missing cells are modelled."""
        return 0.0

    def pdf(self, x: Points) -> float | Floats:
        """Return the density at one value or many; of whole numbers with a scale, the probability.

        Values of other columns that stand out have a probability instead of a density, too.
        """
        point = self._encoded(x)
        inside = (point >= self._lo) & (point <= self._hi)
        return _shaped(np.where(inside, self._density(point), 0.0), x)

    def cdf(self, x: Points) -> float | Floats:
        """Return the probability of being at most one value, or each of many."""
        return _shaped(self._below(self._encoded(x)), x)

    def quantile(self, q: float | npt.ArrayLike) -> Points:
        """Return the value below which the column lies with probability ``q``, or each of many."""
        try:
            levels = np.atleast_1d(np.asarray(q, dtype=np.float64))
        except (TypeError, ValueError):
            raise SoftlearnError(f"a quantile's probability is a number, not {q!r}") from None
        if not ((levels >= 0.0) & (levels <= 1.0)).all():
            raise SoftlearnError(f"a quantile's probability lies between 0 and 1, not {q!r}")
        found = self._quantiles(levels)
        return self._decoded(found[0] if np.ndim(q) == 0 else found)

    def interval(self, level: float = 0.9) -> tuple[Point, Point]:
        """Return the ends of the central interval that holds this much probability."""
        if not 0.0 < level < 1.0:
            raise SoftlearnError(f"an interval's level lies between 0 and 1, not {level!r}")
        return self.quantile(0.5 - level / 2), self.quantile(0.5 + level / 2)

    def drawing(self, edges: Floats, levels: Floats) -> Drawing:
        """Return the shares between edges, the quantiles at some levels, and the mean."""
        below = np.concatenate([[0.0], self._below(edges), [1.0]])
        quantiles = self._quantiles(levels) if levels.size else levels
        return Drawing(np.maximum(np.diff(below), 0.0), quantiles, self._mean)

    def __repr__(self) -> str:
        ends, mass = self._shape(_SPARK_BINS)
        low, high = (_short(self._decoded(end)) for end in ends)
        return f"{self._in_words()}\n{low} {_spark(mass)} {high}"

    def _repr_html_(self) -> str:
        ends, mass = self._shape(_CURVE_BINS)
        low, high = (_short(self._decoded(end)) for end in ends)
        drawn = curve(mass.tolist())
        return block(f"{self.column}: {self._in_words()}", drawn, f"{low} to {high}")

    def _in_words(self) -> str:
        lo, hi = self.interval(0.9)
        missing = f", missing {self.missing:.2%}" if self.missing else ""
        return (
            f"mean {_short(self.mean)}, std {_short(self.std)}, "
            f"90 % between {_short(lo)} and {_short(hi)}{missing}"
        )

    def _shape(self, n: int) -> tuple[Floats, Floats]:
        """Return the ends that hold nearly everything, and the mass of parts between them.

        There are at most n parts, of equal width; a step of the scale is not divided between two.
        """
        low, high = ends = self._quantiles(np.array([0.01, 0.99]))
        step = self._about.scale.step if self._about.scale is not None else 0.0
        if step:
            steps = math.ceil((high - low + step) / (step * n))  # per part
            edges = np.arange(low - 0.5 * step, high + steps * step, steps * step)
        elif low == high:
            edges = np.linspace(low - 0.5, low + 0.5, n + 1)
        else:
            edges = np.linspace(low, high, n + 1)
            edges[0] = np.nextafter(low, -np.inf)  # a value that stands out may be the lowest
        return ends, np.diff(self._below(edges))

    @cached_property
    def _mean(self) -> float:
        start = min(max(0.0, self._lo), self._hi)
        return min(max(start + self._expected(1, start), self._lo), self._hi)

    def _expected(self, order: int, shift: float) -> float:
        """Return E[(x − shift) ** order], inside the bounds."""
        raise NotImplementedError

    def _density(self, point: Floats) -> Floats:
        """Return the density at each point."""
        raise NotImplementedError

    def _below(self, point: Floats) -> Floats:
        """Return the distribution function, (points,)."""
        raise NotImplementedError

    def _quantiles(self, levels: Floats) -> Floats:
        """Return the inverse of the distribution function."""
        raise NotImplementedError

    def _encoded(self, x: Points) -> Floats:
        """Return the caller's value or values as floats, (points,)."""
        if self._about.kind == "datetime":
            return np.array([read_cell(self._about, point) for point in np.atleast_1d(x).tolist()])
        return np.atleast_1d(np.asarray(x, dtype=np.float64))

    def _decoded(self, values: Floats | float) -> Points:
        """Return floats as the caller's values."""
        if self._about.kind != "datetime":
            return values if np.ndim(values) else float(values)
        decoded = [decode_value(self._about, value) for value in np.atleast_1d(values).tolist()]
        return decoded if np.ndim(values) else decoded[0]


class LeafMixture(DensityDistribution):
    """A mixture of leaves over plain numbers."""

    def __init__(self, column: Column, parts: list[Part], lo: float, hi: float) -> None:
        super().__init__(column, lo, hi)
        self._parts = parts

    def _expected(self, order: int, shift: float) -> float:
        is_whole_line = math.isinf(self._lo) and math.isinf(self._hi)
        total = 0.0
        for family, params, weight in self._parts:
            if is_whole_line:  # the closed form, instead of an integral
                total += float(weight @ family.moment(params, order, shift))
                continue
            total += float(weight @ family.moment_given(params, order, shift, self._within))
        return total

    def _density(self, point: Floats) -> Floats:
        return self._mixed(Known(point, self._within.lo, self._within.hi))

    def _below(self, point: Floats) -> Floats:
        until = np.clip(point, self._lo, self._hi)
        mass = self._mixed(Known(np.full(point.shape, np.nan), self._within.lo, until))
        return np.clip(mass, 0.0, 1.0)

    def _mixed(self, known: Known) -> Floats:
        """Return the mixture of what the leaves say of each point, each inside the bounds."""
        total = np.zeros(known.value.shape)
        for family, params, weight in self._parts:
            total += weight @ np.exp(self._log_share(family, params[:, None, :], known))
        return total

    def _log_share(self, family: Family, params: Floats, known: Known) -> Floats:
        """Return the log of each leaf's density or mass, given the bounds, (leaves, points)."""
        inside = family.log_mass(params, self._within)
        if family is GAUSSIAN and (inside < _FAR).any():
            within = Known(np.array(np.nan), self._within.lo, self._within.hi)
            return log_ratio(params, known, params, within).value
        until = Interval(known.lo, known.hi)
        is_point = not np.isnan(known.value).any()
        own = (
            family.log_density(params, known.value) if is_point else family.log_mass(params, until)
        )
        return own - inside

    def _quantiles(self, levels: Floats) -> Floats:
        """Close in on each quantile, between the smallest and the largest of the leaves'.

        Steps are those of regula falsi, where an end that stays counts half; every fifth one
        halves the bracket, so that no shape of the distribution function makes it slow.
        """
        strict = np.clip(levels, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))
        own = [
            part.family.draw(part.params[:, None, :], strict, self._within) for part in self._parts
        ]
        low, high = np.concatenate(own).min(axis=0), np.concatenate(own).max(axis=0)
        gaps = self._below(np.concatenate([low, high])) - np.tile(strict, 2)
        short, over = np.split(gaps, 2)  # what the ends of the bracket miss
        before = np.zeros(strict.shape, dtype=bool)
        for step in range(_STEPS):
            grain = _RESOLUTION * np.maximum(np.abs(low), np.abs(high))
            if (high - low <= 2.0 * grain).all():
                break
            is_halved = step % _HALVE_EVERY == _HALVE_EVERY - 1
            share = 0.5 if is_halved else short / np.minimum(short - over, -_TINY)
            middle = np.clip(low + share * (high - low), low + grain, high - grain)
            gap = self._below(middle) - strict
            enough = gap >= 0.0
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
            again = np.where(enough == before, 0.5, 1.0)
            short, over = np.where(enough, again * short, gap), np.where(enough, gap, again * over)
            before = enough
        bottom, top = self._support
        return np.where(levels == 0.0, bottom, np.where(levels == 1.0, top, high))

    @property
    def _support(self) -> tuple[float, float]:
        """The ends of what is possible."""
        spans = [part.family.support(part.params) for part in self._parts]
        lows = [np.min(span.lo) for span in spans if isinstance(span, Interval)]
        highs = [np.max(span.hi) for span in spans if isinstance(span, Interval)]
        return max(float(min(lows)), self._lo), min(float(max(highs)), self._hi)


class CellMixture(DensityDistribution):
    """A distribution over the cells of a column with a scale; everything is a sum over cells."""

    def __init__(
        self, column: Column, cells: Cells, probability: Floats, region: Interval | Listed | None
    ) -> None:
        lo, hi = -math.inf, math.inf
        if isinstance(region, Interval):
            lo, hi = float(region.lo), float(region.hi)
        super().__init__(column, lo, hi)
        self._cells, self._region = cells, region
        present = cells.left < np.inf
        mass = probability * cells.inside(region).share
        self._missing = float(mass[~present].sum() / mass.sum())
        # Cells of which only a part is possible are that much likelier inside it.
        self._probability = np.where(present, probability, 0.0) / max(mass[present].sum(), _TINY)

    @property
    def missing(self) -> float:
        """The probability that the cell is missing; 0 unless missing cells are modelled."""
        return self._missing

    def _expected(self, order: int, shift: float) -> float:
        return float(self._probability @ self._cells.moment(order, shift, self._region))

    def _density(self, point: Floats) -> Floats:
        code = self._cells.code(point)
        density = self._probability[code] * np.exp(self._cells.log_base_at(point, code))
        if isinstance(self._region, Listed):
            density = np.where(np.isin(point, self._region.values), density, 0.0)
        return np.where(code < 0, 0.0, density)

    def _below(self, point: Floats) -> Floats:
        if isinstance(self._region, Listed):
            values = self._region.values[None, :]
            own = self._density(self._region.values)
            return np.asarray((own * (values <= point[:, None])).sum(axis=1))
        until = Interval(np.full(point.shape, self._lo), np.clip(point, self._lo, self._hi))
        below = self._cells.inside(until).share @ self._probability
        return np.where(point < self._lo, 0.0, np.clip(below, 0.0, 1.0))

    def _quantiles(self, levels: Floats) -> Floats:
        return self._cells.draw(self._probability, levels, self._region)


def _shaped(answers: Floats, question: Points) -> float | Floats:
    """Return one number for one value, an array for many."""
    one = np.ndim(question) == 0
    return float(answers[0]) if one else answers


def _short(value: Point) -> str:
    if not isinstance(value, float):
        return str(value)[:16]  # to the minute
    return f"{value:.0f}" if _LARGE <= abs(value) < _HUGE else f"{value:.4g}"


def _spark(mass: Floats) -> str:
    """Return the shape of a density, from the mass of parts of equal width."""
    heights = np.rint(mass / mass.max() * (len(_SPARKS) - 1)).astype(int)
    return "".join(_SPARKS[height] for height in heights)
