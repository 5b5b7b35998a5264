"""Leaves over the cells of a scale: probabilities of atoms and bins, normal scores within bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from softlearn.arrays import Floats, Offsets
from softlearn.errors import SoftlearnError
from softlearn.leaf.cells import Cells
from softlearn.leaf.family import (
    Interval,
    LeafOptions,
    Listed,
    Members,
    Region,
    finite_violations,
    no_observed_value,
    size_violations,
    wrong_at,
)
from softlearn.leaf.gaussian import GAUSSIAN, GaussianStats
from softlearn.leaf.lookup import pick
from softlearn.leaf.probabilities import probability_violations
from softlearn.numeric_policy import ROWS_OF_THE_NORMAL, SMALLEST_DEVIATION


class ScaledStats(NamedTuple):
    """The mass of each atom and bin, and centred moments of the cells' scores.

    For many leaves, all arrays have leading axes of leaves.
    """

    atoms: Floats  # (..., atoms)
    bins: Floats  # (..., bins)
    rest: GaussianStats  # moments of the scores of cells that are not atoms


@dataclass(frozen=True, eq=False)
class Scaled:
    """Parameters: probabilities of atoms, bins and the column; mean and deviation of scores.

    A leaf is a mixture of three parts: the atoms; the coarse bins of all other cells, in each of
    which the column's distribution is reweighted so that scores are normally distributed; and the
    distribution of the whole column, which keeps every value possible. A leaf may also have one
    probability for all bins together; then scores are normal across them. ``on`` returns the family
    for the cells of a column; without cells the family only has its name.
    """

    name: ClassVar[str] = "scaled"
    discrete: ClassVar[bool] = False

    cells: Cells | None = None

    def on(self, cells: Cells | None) -> Scaled:
        """Return the family of leaves over a column with these cells."""
        return Scaled(cells)

    def violations(self, params: Floats, n_levels: int) -> list[tuple[int, str]]:
        """Return everything wrong with params, (leaves, n), as (leaf position, reason)."""
        if self.cells is None:
            return [(leaf, "its column has no scale") for leaf in range(params.shape[0])]
        n_atoms, n_bins = int(self.cells.atom.sum()), self.cells.n_bins
        if params.shape[-1] - n_atoms - 3 not in {1, n_bins}:
            needed = "4" if n_bins == 1 else f"4, or {n_bins + 3} with a probability per bin,"
            return size_violations(
                params, f"the column has {n_atoms} atoms and needs {needed} more"
            )
        found = finite_violations(params) + probability_violations(params[:, :-2])
        found += wrong_at(
            params[:, -1] < SMALLEST_DEVIATION,
            lambda leaf: f"the deviation {params[leaf, -1]:.6g} is not a positive normal number",
        )
        if self.cells.atom.all():
            found += wrong_at(params[:, -4] > 0.0, lambda leaf: "all cells of its column are atoms")
        return found

    def summarise(
        self, values: Floats, weights: Floats, *, n_levels: int = 0, edges: Floats | None = None
    ) -> ScaledStats:
        """Return the statistics of a block of rows; n_levels and edges are ignored."""
        cells = self._cells
        code = cells.code(values)
        nowhere = (code < 0) & ~np.isnan(values) & (weights > 0.0)
        if np.isinf(values[nowhere]).any():
            raise SoftlearnError("a leaf cannot learn from infinite values; mark them as missing")
        if nowhere.any():
            raise SoftlearnError("a value lies outside the column's bounds")
        known = (code >= 0) & (weights > 0.0)
        mass = np.bincount(code[known], weights[known], cells.n).astype(np.float64)
        rest = known & ~cells.atom[code]
        score = np.where(rest, cells.score[code], np.nan)
        in_bins = np.bincount(cells.bin_of[~cells.atom], mass[~cells.atom], cells.n_bins)
        return ScaledStats(
            mass[cells.atom], in_bins.astype(np.float64), GAUSSIAN.summarise(score, weights)
        )

    def merge(self, a: ScaledStats, b: ScaledStats) -> ScaledStats:
        """Return the statistics of two blocks together."""
        return ScaledStats(a.atoms + b.atoms, a.bins + b.bins, GAUSSIAN.merge(a.rest, b.rest))

    def finish(self, stats: ScaledStats, options: LeafOptions) -> Floats:
        """Return the parameters, (..., n), of one leaf or many, from their statistics.

        ``smoothing`` is the number of pseudo-rows distributed as in the whole column.
        `ROWS_OF_THE_NORMAL` is the number of pseudo-rows distributed over the bins as in the normal
        distribution of scores.
        """
        rest = stats.bins.sum(axis=-1, keepdims=True)
        total = stats.atoms.sum(axis=-1, keepdims=True) + rest + options.smoothing
        if (total <= 0.0).any():
            raise no_observed_value(self.name)
        shape = _mean_and_deviation(stats.rest, options)
        bins = stats.bins
        if self._cells.n_bins > 1:
            drawn = ROWS_OF_THE_NORMAL * self._normal_bins(shape)
            bins = rest * (bins + drawn) / (rest + ROWS_OF_THE_NORMAL)
        whole = np.full(rest.shape, options.smoothing)
        return np.concatenate([stats.atoms / total, bins / total, whole / total, shape], axis=-1)

    def column_itself(self) -> Floats:
        """Return the parameters of the leaf with the distribution of the whole column."""
        n_masses = int(self._cells.atom.sum()) + self._cells.n_bins
        return np.array([*np.zeros(n_masses), 1.0, 0.0, 1.0])

    def probabilities(self, params: Floats) -> Floats:
        """Return the probability of each cell, (..., cells)."""
        cells = self._cells
        n_atoms = int(cells.atom.sum())
        atoms, bins, whole = params[..., :n_atoms], params[..., n_atoms:-3], params[..., -3:-2]
        found: Floats = whole * cells.share
        found[..., cells.atom] += atoms
        other = ~cells.atom
        if other.any():
            found[..., other] += self._spread(bins, params[..., -2:])
        return found

    def _spread(self, bins: Floats, shape: Floats) -> Floats:
        """Distribute the mass of each bin over its cells; a single mass is spread over all."""
        bent = self._bent(shape)
        if bins.shape[-1] == 1:
            bent -= bent.max(axis=-1, keepdims=True)
            np.exp(bent, out=bent)
            bent *= bins / bent.sum(axis=-1, keepdims=True)
            return bent
        start, bin_of = self._bin_starts, self._cells.bin_of[~self._cells.atom]
        bent -= np.maximum.reduceat(bent, start, axis=-1)[..., bin_of]
        np.exp(bent, out=bent)
        bent *= (bins / np.add.reduceat(bent, start, axis=-1))[..., bin_of]
        return bent

    def _normal_bins(self, shape: Floats) -> Floats:
        """Return the probability of each bin if scores are normal, (..., bins)."""
        share = self._spread(np.ones(1), shape)
        return np.asarray(np.add.reduceat(share, self._bin_starts, axis=-1))

    def _bent(self, shape: Floats) -> Floats:
        """Return log-weights of cells: the column's, changed to a mean and deviation of scores."""
        cells, other = self._cells, ~self._cells.atom
        z = (cells.score[other] - shape[..., :1]) / shape[..., 1:]
        with np.errstate(divide="ignore"):
            # A share divided by the normal density of its score is the cell's width in scores.
            width = np.log(cells.share[other]) + 0.5 * cells.normal_score[other] ** 2
        return np.asarray(width - 0.5 * z**2)

    @property
    def _bin_starts(self) -> Offsets:
        """(bins,) the first cell of each bin, counted among the cells that are not atoms."""
        return np.searchsorted(self._cells.bin_of[~self._cells.atom], np.arange(self._cells.n_bins))

    def log_cell(self, params: Floats, x: Floats) -> Floats:
        """Return the log-probability of the cell of x; −inf outside the bounds."""
        code = self._cells.code(np.asarray(x))
        with np.errstate(divide="ignore"):
            found = np.log(pick(self.probabilities(params), np.maximum(code, 0)))
        return np.where(code >= 0, found, -np.inf)

    def log_density(self, params: Floats, x: Floats) -> Floats:
        """Return the log-density of x, or its log-probability if x is an atom or on a grid.

        −inf outside the bounds.
        """
        x = np.asarray(x)
        found = self.log_cell(params, x) + self._cells.log_base_at(x, self._cells.code(x))
        return np.where(np.isnan(x), np.nan, found)

    def log_mass(self, params: Floats, region: Region) -> Floats:
        """Return the log-probability of the region: a sum over the cells."""
        share = self._cells.inside(_within(region)).share
        mass = np.einsum("...k,...k->...", self.probabilities(params), share)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mass))

    def draw(self, params: Floats, uniform: Floats, region: Region | None = None) -> Floats:
        """Return the inverse of the distribution function, restricted to the region."""
        uniform = np.asarray(uniform)
        return self._cells.draw(self.probabilities(params), uniform, _within(region))

    def mode(self, params: Floats, region: Region | None = None) -> Floats:
        """Return the value with the highest density or probability in the region."""
        return self._cells.highest(self.probabilities(params), _within(region))

    def moment(
        self,
        params: Floats,
        order: int,
        shift: Floats | float = 0.0,
        region: Region | None = None,
    ) -> Floats:
        """Return E[(x − shift)^order · 1(x in region)], for orders 0, 1 and 2.

        Missing cells, where they are modelled, count as 0.
        """
        value = self._cells.moment(order, shift, _within(region))
        return np.asarray(np.einsum("...k,...k->...", self.probabilities(params), value))

    def moment_given(
        self, params: Floats, order: int, shift: Floats | float, region: Region
    ) -> Floats:
        """Return E[(x − shift)^order | x in region], a ratio of two sums over the cells."""
        share = self._cells.inside(_within(region)).share
        mass = np.einsum("...k,...k->...", self.probabilities(params), share)
        return np.asarray(self.moment(params, order, shift, region) / np.where(mass > 0, mass, 1.0))

    def support(self, params: Floats) -> Interval:
        """Return the interval from the first possible cell to the last."""
        possible = self.probabilities(params) > 0.0
        first = np.argmax(possible, axis=-1)
        last = possible.shape[-1] - 1 - np.argmax(possible[..., ::-1], axis=-1)
        return Interval(self._cells.left[first], self._cells.right[last])

    def parabola(self, params: Floats) -> Floats | None:
        """Return None: the density is constant on each cell."""
        return None

    def parameter_count(self, n: int) -> int:
        """Return one less than the number stored, because the probabilities add to 1."""
        return n - 1

    @property
    def _cells(self) -> Cells:
        assert self.cells is not None, "the family is asked before its column is known"
        return self.cells


SCALED = Scaled()


def _mean_and_deviation(stats: GaussianStats, options: LeafOptions) -> Floats:
    """Return the mean and deviation of each leaf's scores, (..., 2); 0 and 1 if it has none."""
    weight = np.asarray(stats.weight)
    seen = weight > 0.0
    some = GaussianStats(np.where(seen, weight, 1.0), *(np.asarray(field) for field in stats[1:]))
    found = GAUSSIAN.finish(some, options)
    return np.where(seen[..., None], found, np.array([0.0, 1.0]))


def _within(region: Region | None) -> Interval | Listed | None:
    if isinstance(region, Members):
        raise TypeError("a leaf over a scale takes an Interval or Listed numbers, not Members")
    return region
