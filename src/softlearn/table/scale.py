"""The scale of a column of numbers or times: cells, grid, bounds and atoms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Final

import numpy as np

from softlearn.errors import SchemaError
from softlearn.numeric_policy import NORMALISATION_TOLERANCE, ON_GRID, ROUNDING
from softlearn.table.resolution import decimals_of

MOST_CELLS: Final = 253  # codes of cells, of "missing" and of "unobserved" fit into one byte
_LARGE = 1e9  # beyond it, in the tails, float64 has fewer decimals


@dataclass(frozen=True, slots=True, repr=False)
class Scale:
    """A column cut into cells in ascending order, each of them one value or a stretch of values.

    It is inferred from the cells of a table; see ``find_scale``. All values in a cell are equally
    likely; the parameters of leaves are the probabilities of cells.

    Attributes
    ----------
    left, right
        The first and the last value of each cell.
    share
        How likely each cell is in the column as a whole; they add to 1.
    atom
        Which cells are values that stand out, and have a probability of their own in every leaf.
    step
        The distance between values that are possible: 1 for whole numbers, 0.01 for cents; 0 if
        every number is possible.
    lower, upper
        The bounds of what is drawn, None where there is none.
    values
        The values that occur in stretches, in ascending order, if the column takes few of the
        numbers that its grid would allow; empty if it takes any of them.
    stray
        How much of a stretch lies on other numbers than these.
    bins
        The first cell of each of the coarse bins that leaves have a probability for; none if all
        cells lie in one.
    humps
        The first cell of each hump after the first one: where the column has a gap, or hardly any
        value, between many.
    missing_share
        How many of the column's cells are missing; it counts where these are modelled.
    reason
        What was found, for people.
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    share: tuple[float, ...]
    atom: tuple[bool, ...]
    step: float = 0.0
    lower: float | None = None
    upper: float | None = None
    missing_share: float = 0.0
    values: tuple[float, ...] = ()
    stray: float = 0.0
    bins: tuple[int, ...] = ()
    humps: tuple[int, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        sizes = {len(getattr(self, name)) for name in ("left", "right", "share", "atom")}
        if len(sizes) != 1 or not 0 < len(self.left) <= MOST_CELLS:
            raise SchemaError(f"a scale has 1 to {MOST_CELLS} cells, each with all four numbers")
        self._check_numbers()
        self._check_cells()
        self._check_bins()

    def __repr__(self) -> str:
        """Return the scale in a few words, not the numbers of all cells."""
        words = f": {self.reason}" if self.reason else ""
        return f"Scale({self.n_cells} cells{words})"

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.left)

    @property
    def atoms(self) -> tuple[float, ...]:
        """The values that stand out."""
        return tuple(x for x, is_atom in zip(self.left, self.atom, strict=True) if is_atom)

    @property
    def decimals(self) -> int | None:
        """How many decimals its values have at most; None if they are not written but computed."""
        seen = [x for x in self.left if abs(x) < _LARGE]
        return decimals_of(np.array([self.step, *seen])) if self.step else None

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as JSON-safe values."""
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in fields(self)
            for value in [getattr(self, field.name)]
        }

    @classmethod
    def from_dict(cls, data: object) -> Scale:
        """Build a scale from ``to_dict``'s values, which are checked."""
        expected = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or {*data, "bins", "humps"} != expected:
            raise SchemaError(f"a stored scale has exactly the keys {sorted(expected)}")
        data = {"bins": [], "humps": [], **data}  # the first scales had none
        for name in ("left", "right", "share", "atom", "values", "bins", "humps"):
            if not isinstance(data[name], list):
                raise SchemaError(f"a stored scale's {name} is a list")
        left, right, share, values = (
            tuple(map(_number, data[name])) for name in ("left", "right", "share", "values")
        )
        lower, upper = (
            None if data[name] is None else _number(data[name]) for name in ("lower", "upper")
        )
        if not all(isinstance(is_atom, bool) for is_atom in data["atom"]):
            raise SchemaError("a stored scale's atoms are true or false")
        if not all(type(first) is int for first in [*data["bins"], *data["humps"]]):
            raise SchemaError("a stored scale's bins and humps are positions of cells")
        if not isinstance(data["reason"], str):
            raise SchemaError("a stored scale's reason is text")
        step, missing, stray = (_number(data[name]) for name in ("step", "missing_share", "stray"))
        bins, humps = tuple(data["bins"]), tuple(data["humps"])
        rest = (step, lower, upper, missing, values, stray, bins, humps, data["reason"])
        return cls(left, right, share, tuple(data["atom"]), *rest)

    def _check_numbers(self) -> None:
        numbers = [*self.left, *self.right, *self.share, *self.values, self.step]
        numbers += [bound for bound in (self.lower, self.upper) if bound is not None]
        if not all(isinstance(x, int | float) and math.isfinite(x) for x in numbers):
            raise SchemaError("a scale is made of finite numbers")
        if self.step < 0.0:
            raise SchemaError(f"a scale's step is 0 or more, not {self.step}")
        for share in (self.missing_share, self.stray):
            if not 0.0 <= share <= 1.0:
                raise SchemaError(f"a share lies between 0 and 1, not {share}")
        if any(after <= before for before, after in pairwise(self.values)):
            raise SchemaError("the values of a scale are in ascending order, each once")

    def _check_cells(self) -> None:
        for left, right, is_atom in zip(self.left, self.right, self.atom, strict=True):
            if right < left or (is_atom and left != right):
                raise SchemaError(
                    f"a scale's cell from {left} to {right} is none, or no single atom"
                )
            steps = (right - left) / self.step if self.step else 0.0
            rounding = ROUNDING * max(abs(left), abs(right)) / self.step if self.step else 0.0
            if abs(steps - round(steps)) > ON_GRID * 1e3 + rounding:
                raise SchemaError(
                    f"a scale's cell from {left} to {right} has no whole number of steps"
                )
        for before, after in pairwise(zip(self.left, self.right, strict=True)):
            touches = self.step == 0.0 and before[1] == after[0] and before != after
            if not (before[1] < after[0] or touches):
                raise SchemaError("a scale's cells are in ascending order and do not overlap")
        if min(self.share) < 0.0 or abs(sum(self.share) - 1.0) > NORMALISATION_TOLERANCE:
            raise SchemaError(f"the shares of a scale's cells add to {sum(self.share)}, not 1")

    def _check_bins(self) -> None:
        begins = [0, *self.humps, self.n_cells]
        if any(after <= before for before, after in pairwise(begins)):
            raise SchemaError("a scale's humps begin at some of its cells, in ascending order")
        if not self.bins:
            return
        ends = [*self.bins, self.n_cells]
        if any(after <= before for before, after in pairwise(ends)) or self.bins[0] < 0:
            raise SchemaError("a scale's bins begin at some of its cells, in ascending order")
        if not all(self.atom[: self.bins[0]]):
            raise SchemaError("a scale's first bin begins at the first cell that is no atom")
        if any(all(self.atom[first:end]) for first, end in pairwise(ends)):
            raise SchemaError("each bin of a scale has a cell that is no atom")


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SchemaError(f"a stored scale holds {value!r} where a number belongs")
    try:
        return float(value)
    except OverflowError:
        raise SchemaError("a scale is made of finite numbers") from None
