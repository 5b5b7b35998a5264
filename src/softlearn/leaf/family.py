"""The interface of leaf families, and the types that go with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from softlearn.arrays import Bools, Floats
from softlearn.errors import SoftlearnError
from softlearn.numeric_policy import DEVIATION_FLOOR, LAPLACE_SMOOTHING

if TYPE_CHECKING:
    from softlearn.leaf.cells import Cells

# Each family has its own NamedTuple of statistics, which is opaque elsewhere.
Stats: TypeAlias = Any


class Interval(NamedTuple):
    """All values from lo to hi, both included; infinite ends are allowed, lo > hi is empty."""

    lo: Floats
    hi: Floats


class Members(NamedTuple):
    """The levels whose mask is true; the last axis of the mask runs over the levels."""

    mask: Bools


class Listed(NamedTuple):
    """Any of the listed numbers; infinity stands for a missing cell that is modelled."""

    values: Floats


Region: TypeAlias = Interval | Members | Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafOptions:
    """How a leaf is regularised.

    Parameters
    ----------
    smoothing
        Pseudo-count of every level of a categorical leaf and every bin of a histogram, or an array
        with one for each of them.
    deviation_floor
        Smallest standard deviation of a Gaussian leaf, in the column's units.
    """

    smoothing: float | Floats = LAPLACE_SMOOTHING
    deviation_floor: float = DEVIATION_FLOOR

    def __post_init__(self) -> None:
        pseudo = np.asarray(self.smoothing)
        if not ((pseudo >= 0.0) & (pseudo < np.inf)).all():
            raise SoftlearnError(f"smoothing must be finite, 0 or more, not {self.smoothing}")
        if not 0.0 < self.deviation_floor < np.inf:
            raise SoftlearnError(f"deviation_floor must be positive, not {self.deviation_floor}")


class Family(Protocol):
    """One family of distributions: a stateless object on plain arrays.

    The parameters of leaves lie in the last axis of ``params``, shape ``(..., n)``. Every other
    argument broadcasts against ``params[..., 0]``: ``(leaves, 1, n)`` with ``(1, rows)`` answers
    ``(leaves, rows)``; ``(cells, n)`` with ``(cells,)`` answers ``(cells,)``. A discrete family
    reads and writes level codes as floats and takes ``Members`` as its regions; a continuous one
    takes ``Interval``. A value of NaN is unobserved: it is skipped by ``summarise``, and it is NaN
    again in ``log_density``, because the caller decides how to treat it.
    """

    @property
    def name(self) -> str:
        """The name that model files hold."""

    @property
    def discrete(self) -> bool:
        """Whether values are level codes."""

    def on(self, cells: Cells | None) -> Self:
        """Return the family of the leaves over a column with these cells, if it has a scale."""

    def violations(self, params: Floats, n_levels: int) -> list[tuple[int, str]]:
        """Everything wrong with params, shape (leaves, n), as (leaf position, reason).

        n_levels is the number of levels of the leaves' column; continuous families ignore it.
        """

    def summarise(
        self, values: Floats, weights: Floats, *, n_levels: int = 0, edges: Floats | None = None
    ) -> Stats:
        """Statistics of a block of rows; a weight of 0 is absence, a value of NaN unobserved.

        Discrete families need n_levels, the histogram needs its edges; each ignores the other.
        """

    def merge(self, a: Stats, b: Stats) -> Stats:
        """Statistics of two blocks together."""

    def finish(self, stats: Stats, options: LeafOptions) -> Floats:
        """Parameters, shape (n,); a SoftlearnError when no value was observed."""

    def log_density(self, params: Floats, x: Floats) -> Floats:
        """Log-density of x (log-probability if discrete); −inf outside the support."""

    def log_mass(self, params: Floats, region: Region) -> Floats:
        """Log-probability of the region."""

    def draw(self, params: Floats, uniform: Floats, region: Region | None = None) -> Floats:
        """Inverse of the distribution function, restricted to the region, at uniforms in [0, 1).

        In a region of probability zero the draw is unspecified.
        """

    def mode(self, params: Floats, region: Region | None = None) -> Floats:
        """Return the value of highest density inside the region; the lowest of equals."""

    def moment(
        self,
        params: Floats,
        order: int,
        shift: Floats | float = 0.0,
        region: Region | None = None,
    ) -> Floats:
        """E[(x − shift)^order · 1(x in region)] for order ≥ 0."""

    def moment_given(
        self, params: Floats, order: int, shift: Floats | float, region: Region
    ) -> Floats:
        """E[(x − shift)^order | x in region], also where the region's mass underflows.

        A mean lies in the region's hull, and no even order is negative. Without mass it is 0.
        """

    def support(self, params: Floats) -> Bools | Interval:
        """Return what can be drawn: a mask (..., levels), or the interval that holds it all."""

    def parabola(self, params: Floats) -> Floats | None:
        """Return peak, centre and sharpness, (..., 3), if log-densities are parabolas, else None.

        The log-density is then peak − sharpness · (x − centre)², which kernels evaluate themselves.
        """

    def parameter_count(self, n: int) -> int:
        """Count the free parameters of a leaf that stores n."""


def interval_of(region: Region | None) -> Interval:
    """Return the region of a continuous leaf; None is the whole line."""
    if region is None:
        return Interval(np.array(-np.inf), np.array(np.inf))
    if not isinstance(region, Interval):
        raise TypeError(f"a continuous leaf takes an Interval, not {type(region).__name__}")
    return Interval(np.asarray(region.lo), np.asarray(region.hi))


def members_of(region: Region | None) -> Bools:
    """Return the mask of a discrete leaf's region; None is every level."""
    if region is None:
        return np.array([True])
    if not isinstance(region, Members):
        raise TypeError(f"a discrete leaf takes Members, not {type(region).__name__}")
    return np.asarray(region.mask)


def observed(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the rows that count: observed values of positive weight."""
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise SoftlearnError("row weights must be finite and not negative")
    counts = (weights > 0.0) & ~np.isnan(values)
    if np.isinf(values[counts]).any():
        raise SoftlearnError("a leaf cannot learn from infinite values; mark them as missing")
    return values[counts], weights[counts]


def no_observed_value(family: str) -> SoftlearnError:
    """Return the error of a leaf without an observed value."""
    return SoftlearnError(f"no observed value for a {family} leaf to learn from")


def wrong_at(wrong: Bools, reason: Callable[[int], str]) -> list[tuple[int, str]]:
    """One (position, reason) for every leaf that is wrong."""
    return [(int(leaf), reason(int(leaf))) for leaf in np.flatnonzero(wrong)]


def finite_violations(params: Floats) -> list[tuple[int, str]]:
    """Return the leaves with a parameter that is infinite or NaN."""
    infinite = np.asarray(~np.isfinite(params).all(axis=-1))
    return wrong_at(infinite, lambda leaf: "a parameter is not finite")


def size_violations(params: Floats, expected: str) -> list[tuple[int, str]]:
    """Every leaf, when the number of stored parameters is wrong for all of them."""
    reason = f"{params.shape[-1]} parameters where {expected}"
    return [(leaf, reason) for leaf in range(params.shape[0])]
