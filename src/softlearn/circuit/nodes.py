"""The build form of a circuit: leaves, products and weighted sums, pleasant to write by hand.

>>> from softlearn.circuit import Gaussian
>>> left = Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
>>> right = Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
>>> 0.5 * left + 0.5 * right
Sum of 2 branches (weights 0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

from softlearn.errors import CircuitError
from softlearn.numeric_policy import NORMALISATION_TOLERANCE
from softlearn.table.schema import Level

_WEIGHT_PREVIEW = 4  # weights shown by repr before it abbreviates


class Node:
    """A node of the build form; nodes are immutable and may be shared by several parents."""

    __slots__ = ()

    @overload
    def __mul__(self, other: Node) -> Product: ...
    @overload
    def __mul__(self, other: Weighted) -> Weighted: ...
    def __mul__(self, other: Node | Weighted) -> Product | Weighted:
        """Return the product of two nodes over different columns."""
        if isinstance(other, Weighted):
            return Weighted(other.weight, self._times(other.node))
        if isinstance(other, Node):
            return self._times(other)
        return NotImplemented

    def _times(self, other: Node) -> Product:
        return Product((self, other))

    def __rmul__(self, weight: float) -> Weighted:
        """Return this node as a branch of a sum."""
        if isinstance(weight, int | float) and not isinstance(weight, bool):
            return Weighted(float(weight), self)
        return NotImplemented

    def __add__(self, other: object) -> Sum:
        """Explain that the branches of a sum need weights."""
        if isinstance(other, Node | Weighted):
            raise CircuitError(
                ["a sum needs a weight for each branch: write 0.5 * left + 0.5 * right"]
            )
        return NotImplemented


@dataclass(frozen=True, slots=True, eq=False)
class Leaf(Node):
    """The distribution of one column.

    Attributes
    ----------
    column
        The column's name.
    family
        The name of its family, as in ``softlearn.leaf``.
    params
        The family's parameters, in its own order.
    levels
        What the parameters of a discrete leaf refer to; empty means the schema's levels.
    """

    column: str
    family: str
    params: tuple[float, ...]
    levels: tuple[Level, ...] = ()

    def __repr__(self) -> str:
        return f"{self.family.capitalize()} leaf over {self.column!r}"


@dataclass(frozen=True, slots=True, eq=False)
class Product(Node):
    """Independent parts: the children's columns must not overlap."""

    children: tuple[Node, ...]

    def __repr__(self) -> str:
        return f"Product of {len(self.children)} parts"


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Node):
    """A mixture: all children have the same columns, and the weights add to one."""

    weights: tuple[float, ...]
    children: tuple[Node, ...]

    def __add__(self, other: object) -> Sum:
        """Append a weighted branch, or the branches of another unfinished sum."""
        if isinstance(other, Weighted):
            return Sum((*self.weights, other.weight), (*self.children, other.node))
        if isinstance(other, Sum):
            return Sum((*self.weights, *other.weights), (*self.children, *other.children))
        return Node.__add__(self, other)

    def __repr__(self) -> str:
        shown = [f"{weight:g}" for weight in self.weights[:_WEIGHT_PREVIEW]]
        if len(self.weights) > _WEIGHT_PREVIEW:
            shown.append("…")
        return f"Sum of {len(self.children)} branches (weights {', '.join(shown)})"


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """A weighted branch of a sum: the result of ``0.5 * node``."""

    weight: float
    node: Node

    def __mul__(self, other: Node) -> Weighted:
        """Carry the weight past a product, so that ``0.5 * a * b`` means ``0.5 * (a * b)``."""
        if isinstance(other, Node):
            return Weighted(self.weight, self.node._times(other))
        return NotImplemented

    def __add__(self, other: object) -> Sum:
        """Join two branches, or put this one before the branches of a sum."""
        if isinstance(other, Weighted):
            return Sum((self.weight, other.weight), (self.node, other.node))
        if isinstance(other, Sum):
            return Sum((self.weight, *other.weights), (self.node, *other.children))
        return self.node.__add__(other)


LevelProbabilities: TypeAlias = (
    Mapping[Level, float] | Mapping[str, float] | Mapping[bool, float] | Mapping[int, float]
)


def Categorical(column: str, probabilities: LevelProbabilities) -> Leaf:  # noqa: N802 - reads as a type
    """Return a categorical leaf with the probability of each level of ``column``."""
    if not probabilities:
        raise CircuitError([f"the categorical leaf over {column!r} has no levels"])
    params = tuple(float(p) for p in probabilities.values())
    return Leaf(column, "categorical", params, tuple(probabilities))


def Gaussian(column: str, mean: float, deviation: float) -> Leaf:  # noqa: N802 - reads as a type
    """Return a normal leaf with a mean and a standard deviation."""
    return Leaf(column, "gaussian", (float(mean), float(deviation)))


def Scaled(  # noqa: N802 - reads as a type
    column: str,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    atoms: Mapping[float | None, float] | None = None,
    own: float = 0.0,
) -> Leaf:
    """Return a leaf over a column with a scale: normal in the scores of its cells.

    Scores have mean 0 and deviation 1 in the column as a whole; its humps lie further apart.
    ``atoms`` gives values that stand out their probabilities, ``None`` that of a missing cell; with
    the probability ``own`` the value comes from the column as a whole.
    """
    points = dict(atoms or {})
    masses = tuple(float(p) for p in points.values())
    rest = 1.0 - sum(masses) - float(own)
    if abs(rest) < NORMALISATION_TOLERANCE:
        rest = 0.0
    params = (*masses, rest, float(own), float(mean), float(deviation))
    return Leaf(column, "scaled", params, tuple(points))


def Histogram(column: str, edges: Sequence[float], probabilities: Sequence[float]) -> Leaf:  # noqa: N802 - reads as a type
    """Return a piecewise-constant leaf: ``probabilities[i]`` is uniform on ``edges[i:i+2]``."""
    if len(edges) != len(probabilities) + 1:
        raise CircuitError(
            [
                f"the histogram leaf over {column!r} has {len(probabilities)} probabilities, "
                f"so it needs {len(probabilities) + 1} edges, not {len(edges)}"
            ]
        )
    params = (*map(float, edges), *map(float, probabilities))
    return Leaf(column, "histogram", params)
