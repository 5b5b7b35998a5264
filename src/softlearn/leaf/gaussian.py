"""A Gaussian leaf: mean and standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Self

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.leaf.family import (
    Interval,
    LeafOptions,
    Region,
    finite_violations,
    interval_of,
    no_observed_value,
    observed,
    size_violations,
    wrong_at,
)
from softlearn.leaf.gaussian_far import draw_far, moment_inside
from softlearn.leaf.gaussian_integrals import LOG_SQRT_TAU, log_normal_mass
from softlearn.numeric_policy import SMALLEST_DEVIATION, SMALLEST_UNIFORM

if TYPE_CHECKING:
    from softlearn.leaf.cells import Cells


_FAR: Final = 30.0  # deviations from which a tail is drawn from its nearer end


class GaussianStats(NamedTuple):
    """Centred moments; the mean is centre + offset, two numbers so that 1e8 + 0.1 keeps its 0.1.

    Of one leaf, or arrays of many, which are finished in one go.
    """

    weight: float | Floats  # Σ w
    pairs: float | Floats  # (Σ w)² − Σ w², held as a sum of positive terms
    centre: float | Floats  # a value of the data
    offset: float | Floats  # Σ w (x − centre) / Σ w
    scatter: float | Floats  # Σ w (x − mean)²


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Parameters: mean, deviation."""

    name: ClassVar[str] = "gaussian"
    discrete: ClassVar[bool] = False

    def on(self, cells: Cells | None) -> Self:
        """Return the same family: its leaves know their numbers by themselves."""
        return self

    def violations(self, params: Floats, n_levels: int) -> list[tuple[int, str]]:
        """Everything wrong with params, shape (leaves, n), as (leaf position, reason)."""
        if params.shape[-1] != 2:
            return size_violations(params, "a Gaussian has a mean and a deviation")
        deviation = params[:, 1]
        return finite_violations(params) + wrong_at(
            deviation < SMALLEST_DEVIATION,
            lambda leaf: f"the deviation {deviation[leaf]:.6g} is not a positive normal number",
        )

    def summarise(
        self, values: Floats, weights: Floats, *, n_levels: int = 0, edges: Floats | None = None
    ) -> GaussianStats:
        """Centred moments of a block of rows; n_levels and edges are not used."""
        x, w = observed(values, weights)
        if x.size == 0:
            return GaussianStats(0.0, 0.0, 0.0, 0.0, 0.0)
        heaviest = int(np.argmax(w))
        weight, centre = float(w.sum()), float(x[heaviest])
        with np.errstate(over="ignore", invalid="ignore"):  # finish refuses what overflows
            distance = x - centre
            offset = float(distance @ w) / weight
            scatter = float(((distance - offset) ** 2) @ w)
        return GaussianStats(weight, _pairs(w, heaviest), centre, offset, scatter)

    def merge(self, a: GaussianStats, b: GaussianStats) -> GaussianStats:
        """Statistics of two blocks together."""
        if a.weight == 0.0 or b.weight == 0.0:
            return a if b.weight == 0.0 else b
        total = a.weight + b.weight
        gap = (b.centre - a.centre) + (b.offset - a.offset)
        return GaussianStats(
            weight=total,
            pairs=a.pairs + b.pairs + 2.0 * a.weight * b.weight,
            centre=a.centre,
            offset=a.offset + gap * (b.weight / total),
            scatter=a.scatter + b.scatter + gap * gap * (a.weight * (b.weight / total)),
        )

    def finish(self, stats: GaussianStats, options: LeafOptions) -> Floats:
        """Weighted mean, and weighted deviation with Bessel's correction, at least the floor.

        The paper's formula: variance = Σw / ((Σw)² − Σw²) · Σ w (x − mean)². It reads weights as
        importance: a row of weight 2 and the row twice share their mean, not their correction.
        A single row has no spread and takes the floor.
        """
        weight = np.asarray(stats.weight)
        if (weight == 0.0).any():
            raise no_observed_value(self.name)
        correction = stats.pairs / weight / weight
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            spread = stats.scatter / weight / correction
        variance = np.where(correction > 0.0, spread, 0.0)
        if not np.isfinite(variance).all():
            raise SoftlearnError("the column's values are too far apart for float64; rescale it")
        deviation = np.maximum(np.sqrt(variance), options.deviation_floor)
        return np.stack([np.add(stats.centre, stats.offset), deviation], axis=-1)

    def log_density(self, params: Floats, x: Floats) -> Floats:
        """Log-density of x."""
        mean, deviation = params[..., 0], params[..., 1]
        peak = -np.log(deviation) - LOG_SQRT_TAU
        # In place from here: on a tile the answer is the only large array.
        with np.errstate(over="ignore"):
            z = np.asarray(x - mean)
            z *= math.sqrt(0.5) / deviation
            z *= z
        return np.subtract(peak, z, out=z)

    def log_mass(self, params: Floats, region: Region) -> Floats:
        """Log-probability of the interval, to full precision in both tails."""
        from scipy.special import log_ndtr  # noqa: PLC0415 - slow to load

        lo, hi = interval_of(region)
        mean, deviation = params[..., 0], params[..., 1]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isneginf(lo).all():  # the distribution function, the most frequent case
                return np.asarray(log_ndtr((hi - mean) / deviation))
            width = (hi - lo) / deviation
            return log_normal_mass((lo - mean) / deviation, (hi - mean) / deviation, width)

    def draw(self, params: Floats, uniform: Floats, region: Region | None = None) -> Floats:
        """Return the truncated inverse, taken in the log of the nearer tail."""
        from scipy.special import log_ndtr, ndtri, ndtri_exp  # noqa: PLC0415 - slow to load

        mean, deviation = params[..., 0], params[..., 1]
        if region is None:
            return np.asarray(mean + deviation * ndtri(np.maximum(uniform, SMALLEST_UNIFORM)))
        lo, hi = interval_of(region)
        log_mass = self.log_mass(params, Interval(lo, hi))
        inside = np.maximum(uniform, SMALLEST_UNIFORM)
        with np.errstate(over="ignore"):
            below, above = log_ndtr((lo - mean) / deviation), log_ndtr((mean - hi) / deviation)
        lower = np.logaddexp(below, np.log(inside) + log_mass)
        upper = np.logaddexp(above, np.log1p(-inside) + log_mass)
        z = np.where(lower <= upper, 1.0, -1.0) * ndtri_exp(np.minimum(lower, upper))
        # Only a region without mass leaves z infinite; its nearest point is a valid answer.
        z = np.where(np.isfinite(z), z, 0.0)
        drawn = mean + deviation * z
        near = np.clip(mean, lo, hi)
        with np.errstate(over="ignore", invalid="ignore"):
            away, width = (near - mean) / deviation, (hi - lo) / deviation
            far = (np.abs(away) >= _FAR) & np.isfinite(away)
        if far.any():  # where the logarithms above are not precise enough
            drawn = np.where(far, draw_far(near, away, deviation, width, inside), drawn)
        return np.asarray(np.clip(drawn, lo, hi))

    def mode(self, params: Floats, region: Region | None = None) -> Floats:
        """Return the point of the interval that is nearest to the mean."""
        lo, hi = interval_of(region)
        return np.asarray(np.clip(params[..., 0], lo, hi))

    def moment(
        self,
        params: Floats,
        order: int,
        shift: Floats | float = 0.0,
        region: Region | None = None,
    ) -> Floats:
        """E[(x − shift)^order · 1(x in region)]."""
        if region is not None:
            mass = np.exp(self.log_mass(params, region))
            if order == 0:
                return np.asarray(mass)
            with np.errstate(invalid="ignore", over="ignore"):  # at infinity, where mass is 0
                inside = mass * self.moment_given(params, order, shift, region)
            return np.where(mass > 0.0, inside, 0.0)
        mean, deviation = params[..., 0], params[..., 1]
        distance = mean - shift
        before, moment = np.zeros_like(distance), np.ones_like(distance)
        with np.errstate(over="ignore", invalid="ignore"):  # infinite where float64 ends
            for k in range(1, order + 1):
                spread = (k - 1) * deviation**2 if k > 1 else 0.0
                before, moment = moment, distance * moment + spread * before
        return np.asarray(moment)

    def moment_given(
        self, params: Floats, order: int, shift: Floats | float, region: Region
    ) -> Floats:
        """E[(x − shift)^order | x in region], however far out; a mean lies in the interval."""
        origin, inside = np.asarray(shift), interval_of(region)
        return moment_inside(params[..., 0], params[..., 1], order, origin, inside)

    def support(self, params: Floats) -> Interval:
        """Return the whole line."""
        infinite = np.full(params.shape[:-1], np.inf)
        return Interval(-infinite, infinite)

    def parabola(self, params: Floats) -> Floats | None:
        """Return the logarithm of the normal density as peak, centre and sharpness."""
        mean, deviation = params[..., 0], params[..., 1]
        with np.errstate(over="ignore", divide="ignore"):
            sharpness = 0.5 / deviation**2
        return np.stack([-np.log(deviation) - 0.5 * np.log(2.0 * np.pi), mean, sharpness], axis=-1)

    def parameter_count(self, n: int) -> int:
        """Mean and deviation."""
        return n


GAUSSIAN = Gaussian()


def _pairs(w: Floats, heaviest: int) -> float:
    """(Σ w)² − Σ w² without the cancellation of one row that outweighs all others.

    Soft memberships make such leaves: with weights 1 and 1e-17, the squares lose the second row.
    """
    others = np.delete(w, heaviest)
    rest = float(others.sum())
    return 2.0 * float(w[heaviest]) * rest + max(rest * rest - float(others @ others), 0.0)
