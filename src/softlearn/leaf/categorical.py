"""A categorical leaf: one probability per level, by level code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.errors import SoftlearnError
from softlearn.leaf.family import (
    LeafOptions,
    Region,
    finite_violations,
    members_of,
    observed,
    size_violations,
)
from softlearn.leaf.lookup import pick
from softlearn.leaf.probabilities import cell_at, probability_violations, smoothed

if TYPE_CHECKING:
    from softlearn.leaf.cells import Cells


class CategoricalStats(NamedTuple):
    """Mass of every level."""

    counts: Floats  # (levels,)


@dataclass(frozen=True, slots=True)
class Categorical:
    """Parameters: the K probabilities of the codes 0 … K − 1."""

    name: ClassVar[str] = "categorical"
    discrete: ClassVar[bool] = True

    def on(self, cells: Cells | None) -> Self:
        """Return the same family: its leaves know their numbers by themselves."""
        return self

    def violations(self, params: Floats, n_levels: int) -> list[tuple[int, str]]:
        """Everything wrong with params, shape (leaves, n), as (leaf position, reason)."""
        if params.shape[-1] != n_levels:
            return size_violations(params, f"the column has {n_levels} levels")
        return finite_violations(params) + probability_violations(params)

    def summarise(
        self, values: Floats, weights: Floats, *, n_levels: int = 0, edges: Floats | None = None
    ) -> CategoricalStats:
        """Mass of every level in a block of rows; edges are not used."""
        codes, mass = observed(values, weights)
        if not _is_level(codes, n_levels).all():
            raise SoftlearnError(f"level codes must be whole numbers from 0 to {n_levels - 1}")
        counts = np.bincount(codes.astype(np.int64), mass, n_levels)
        return CategoricalStats(counts.astype(np.float64))

    def merge(self, a: CategoricalStats, b: CategoricalStats) -> CategoricalStats:
        """Statistics of two blocks together."""
        return CategoricalStats(a.counts + b.counts)

    def finish(self, stats: CategoricalStats, options: LeafOptions) -> Floats:
        """Relative masses after Laplace smoothing."""
        return smoothed(stats.counts, options.smoothing, self.name)

    def log_density(self, params: Floats, x: Floats) -> Floats:
        """Log-probability of the code x; −inf for anything that is not a code."""
        x = np.asarray(x)
        known = _is_level(x, params.shape[-1])
        # x is small compared with the result on a tile, so unknown codes are marked here, once.
        mark = np.where(known, 0.0, np.where(np.isnan(x), np.nan, -np.inf))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(pick(params, _code(x, known))) + mark)

    def log_mass(self, params: Floats, region: Region) -> Floats:
        """Log-probability of the levels of the region."""
        mass = np.einsum("...k,...k->...", params, members_of(region))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mass))

    def draw(self, params: Floats, uniform: Floats, region: Region | None = None) -> Floats:
        """Return the first level of the region whose cumulative mass exceeds uniform · total."""
        cumulative = np.cumsum(params * members_of(region), axis=-1)
        return np.asarray(cell_at(cumulative, uniform)[0], dtype=np.float64)

    def mode(self, params: Floats, region: Region | None = None) -> Floats:
        """Return the most probable level of the region; the lowest of equals."""
        allowed = np.where(members_of(region), params, -1.0)
        return np.asarray(np.argmax(allowed, axis=-1).astype(np.float64))

    def moment(
        self,
        params: Floats,
        order: int,
        shift: Floats | float = 0.0,
        region: Region | None = None,
    ) -> Floats:
        """E[(code − shift)^order · 1(code in region)]."""
        distance = np.arange(params.shape[-1]) - np.asarray(shift)[..., None]
        return np.asarray((distance**order * (params * members_of(region))).sum(axis=-1))

    def moment_given(
        self, params: Floats, order: int, shift: Floats | float, region: Region
    ) -> Floats:
        """E[(code − shift)^order | code in region]; 0 if the region has no probability."""
        mass = (params * members_of(region)).sum(axis=-1)
        return np.asarray(self.moment(params, order, shift, region) / np.where(mass > 0, mass, 1.0))

    def support(self, params: Floats) -> Bools:
        """Return the levels that can be drawn, as a mask (..., K)."""
        return params > 0.0

    def parabola(self, params: Floats) -> Floats | None:
        """Return None: levels have no order."""
        return None

    def parameter_count(self, n: int) -> int:
        """One less than the probabilities: they add to 1."""
        return n - 1


CATEGORICAL = Categorical()


def _is_level(codes: Floats, n_levels: int) -> Bools:
    """Whether each value is a whole number from 0 to n_levels − 1; no for NaN."""
    return np.asarray((codes >= 0.0) & (codes < n_levels) & (codes == np.floor(codes)))


def _code(x: Floats, known: Bools) -> Offsets:
    """Turn x into a position; 0 stands in where x is no level."""
    return np.where(known, x, 0.0).astype(np.int64)
