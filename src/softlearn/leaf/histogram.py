"""A histogram leaf: a density that is constant on every bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import SoftlearnError
from softlearn.leaf.family import (
    Interval,
    LeafOptions,
    Region,
    finite_violations,
    interval_of,
    observed,
    size_violations,
    wrong_at,
)
from softlearn.leaf.lookup import pick, rank
from softlearn.leaf.probabilities import cell_at, probability_violations, smoothed

if TYPE_CHECKING:
    from softlearn.leaf.cells import Cells


class HistogramStats(NamedTuple):
    """Mass of every bin."""

    edges: Floats  # (bins + 1,)
    counts: Floats  # (bins,)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Parameters: b + 1 increasing edges, then the b probabilities of the bins.

    A bin holds its left edge and not its right one, but for the last bin, which holds both.
    """

    name: ClassVar[str] = "histogram"
    discrete: ClassVar[bool] = False

    def on(self, cells: Cells | None) -> Self:
        """Return the same family: its leaves know their numbers by themselves."""
        return self

    def violations(self, params: Floats, n_levels: int) -> list[tuple[int, str]]:
        """Everything wrong with params, shape (leaves, n), as (leaf position, reason)."""
        n = params.shape[-1]
        if n < 3 or n % 2 == 0:
            return size_violations(params, "b bins have b + 1 edges and b probabilities")
        edges, probabilities = _split(params)
        return [
            *finite_violations(params),
            *wrong_at(_not_increasing(edges), lambda leaf: "edges are not strictly increasing"),
            *probability_violations(probabilities),
        ]

    def summarise(
        self, values: Floats, weights: Floats, *, n_levels: int = 0, edges: Floats | None = None
    ) -> HistogramStats:
        """Mass of every bin in a block of rows; n_levels is not used."""
        if edges is None or edges.size < 2 or _not_increasing(edges) or np.isinf(edges).any():
            raise SoftlearnError("a histogram needs two or more finite, strictly increasing edges")
        x, mass = observed(values, weights)
        outside = (x < edges[0]) | (x > edges[-1])
        if outside.any():
            raise SoftlearnError(
                f"value {x[outside][0]:.6g} lies outside the histogram's edges, "
                f"{edges[0]:.6g} to {edges[-1]:.6g}"
            )
        bins = np.searchsorted(edges[1:-1], x, side="right")
        return HistogramStats(edges, np.bincount(bins, mass, edges.size - 1).astype(np.float64))

    def merge(self, a: HistogramStats, b: HistogramStats) -> HistogramStats:
        """Statistics of two blocks together."""
        if not np.array_equal(a.edges, b.edges):
            raise SoftlearnError("histograms over different edges cannot be merged")
        return HistogramStats(a.edges, a.counts + b.counts)

    def finish(self, stats: HistogramStats, options: LeafOptions) -> Floats:
        """Return the edges, and relative masses after Laplace smoothing."""
        probabilities = smoothed(stats.counts, options.smoothing, self.name)
        edges = np.broadcast_to(stats.edges, (*probabilities.shape[:-1], stats.edges.shape[-1]))
        return np.concatenate([edges, probabilities], axis=-1)

    def log_density(self, params: Floats, x: Floats) -> Floats:
        """Log of probability over width of x's bin; −inf outside the edges."""
        x = np.asarray(x)
        edges, probabilities = _split(params)
        with np.errstate(divide="ignore"):
            log_height = np.log(probabilities) - np.log(np.diff(edges))
        outside = np.full((*params.shape[:-1], 1), -np.inf)
        table = np.concatenate([outside, log_height, outside], axis=-1)
        answer = pick(table, rank(_ends(edges), x))
        unobserved = np.isnan(x)
        return np.where(unobserved, np.nan, answer) if unobserved.any() else answer

    def log_mass(self, params: Floats, region: Region) -> Floats:
        """Log-probability of the interval: a sum over the bins, never a difference."""
        left, right, height = _cut(params, region)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(((right - left) * height).sum(axis=-1)))

    def draw(self, params: Floats, uniform: Floats, region: Region | None = None) -> Floats:
        """Return the bin whose cumulative mass exceeds uniform · total, and the place inside it."""
        left, right, height = _cut(params, region)
        mass = (right - left) * height
        cumulative = np.cumsum(mass, axis=-1)
        bins, target = cell_at(cumulative, uniform)
        start, stop, held = pick(left, bins), pick(right, bins), pick(mass, bins)
        before = np.where(bins > 0, pick(cumulative, np.maximum(bins - 1, 0)), 0.0)
        share = (target - before) / np.where(held > 0.0, held, 1.0)
        place = start + share * (stop - start)
        # The right edge belongs to the next bin, whose density may be 0.
        return np.asarray(np.maximum(np.minimum(place, np.nextafter(stop, -np.inf)), start))

    def mode(self, params: Floats, region: Region | None = None) -> Floats:
        """Return the lowest point of the interval that lies in its highest bin."""
        lo, hi = interval_of(region)
        edges, probabilities = _split(params)
        start = np.maximum(edges[..., :-1], lo[..., None])
        inside = (start <= hi[..., None]) & (start < _ends(edges)[..., 1:])
        height = np.where(inside, probabilities / np.diff(edges), -1.0)
        return np.asarray(np.minimum(pick(start, np.argmax(height, axis=-1)), hi))

    def moment(
        self,
        params: Floats,
        order: int,
        shift: Floats | float = 0.0,
        region: Region | None = None,
    ) -> Floats:
        """E[(x − shift)^order · 1(x in region)]."""
        left, right, height = _cut(params, region)
        origin = np.asarray(shift)[..., None]
        mean_power = _mean_power(left - origin, right - origin, order)
        return np.asarray(((right - left) * height * mean_power).sum(axis=-1))

    def moment_given(
        self, params: Floats, order: int, shift: Floats | float, region: Region
    ) -> Floats:
        """E[(x − shift)^order | x in region]: an average over the bins' parts; 0 if it is empty."""
        left, right, height = _cut(params, region)
        origin = np.asarray(shift)[..., None]
        mean_power = _mean_power(left - origin, right - origin, order)
        mass = (right - left) * height
        # Next to the largest one: a sum of masses near 1e-308 would have no digits.
        share = mass / np.maximum(mass.max(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
        total = share.sum(axis=-1)
        return np.asarray((share * mean_power).sum(axis=-1) / np.where(total > 0.0, total, 1.0))

    def support(self, params: Floats) -> Interval:
        """From the first edge of a bin that is not empty to the last."""
        edges, probabilities = _split(params)
        held = probabilities > 0.0
        last = held.shape[-1] - np.argmax(held[..., ::-1], axis=-1)
        return Interval(pick(edges, np.argmax(held, axis=-1)), pick(edges, last))

    def parabola(self, params: Floats) -> Floats | None:
        """Return None: the density is constant between edges."""
        return None

    def parameter_count(self, n: int) -> int:
        """One less than the bins: edges are given, and probabilities add to 1."""
        return (n - 1) // 2 - 1


HISTOGRAM = Histogram()


def _split(params: Floats) -> tuple[Floats, Floats]:
    """Edges (..., b + 1) and probabilities (..., b)."""
    n_edges = (params.shape[-1] + 1) // 2
    return params[..., :n_edges], params[..., n_edges:]


def _not_increasing(edges: Floats) -> Bools:
    """Whether some bin of each row of edges has no width, or one that overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.diff(edges)
    return np.asarray(~((width > 0.0) & np.isfinite(width)).all(axis=-1))


def _ends(edges: Floats) -> Floats:
    """Return the edges, the last one moved up by one step so that it belongs to the last bin."""
    ends = edges.copy()
    ends[..., -1] = np.nextafter(ends[..., -1], np.inf)
    return ends


def _cut(params: Floats, region: Region | None) -> tuple[Floats, Floats, Floats]:
    """Left and right end of every bin's part of the interval, and density; each (..., b)."""
    lo, hi = interval_of(region)
    edges, probabilities = _split(params)
    low, high = edges[..., :-1], edges[..., 1:]
    left = np.clip(lo[..., None], low, high)
    right = np.maximum(np.clip(hi[..., None], low, high), left)
    return left, right, probabilities / (high - low)


def _mean_power(u: Floats, v: Floats, order: int) -> Floats:
    """Mean of t^order over [u, v], as a polynomial: a difference of powers would cancel."""
    terms = [u**k * v ** (order - k) for k in range(order + 1)]
    return np.asarray(sum(terms) / (order + 1))
