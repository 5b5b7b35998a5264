"""Worlds: models to draw tables from, so that learnt answers can be compared with the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Categorical, Gaussian, Histogram, Leaf, Node, Product, Sum
from softlearn.errors import SoftlearnError
from softlearn.model import Model

_PEOPLE: Final = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]  # each bin is one whole number
_LEVELS: Final = "abcd"


def households() -> Model:
    """Return a distribution of four kinds of households, two with cars and two without.

    Seven columns: ``place`` and ``car`` are categorical, ``owns`` is boolean, ``people`` and
    ``age`` are integer, ``income`` and ``km`` numeric.
    """
    petrol = Product((Categorical("car", {"petrol": 1}), Gaussian("km", 16, 4)))
    electric = Product((Categorical("car", {"electric": 1}), Gaussian("km", 11, 3)))
    drives = 0.75 * petrol + 0.25 * electric
    walks = Product((Categorical("car", {"none": 0.9, "petrol": 0.1}), Gaussian("km", 2, 0.6)))
    students = _household(
        place={"city": 0.9, "town": 0.1},
        owns=0.02,
        people=[0.25, 0.25, 0.3, 0.15, 0.05, 0],
        numbers={"age": (23, 2.5), "income": (14, 4)},
        travel=walks,
    )
    families = _household(
        place={"city": 0.3, "town": 0.5, "village": 0.2},
        owns=0.6,
        people=[0, 0.1, 0.35, 0.4, 0.1, 0.05],
        numbers={"age": (40, 6), "income": (62, 14)},
        travel=drives,
    )
    farmers = _household(
        place={"village": 1},
        owns=0.95,
        people=[0.05, 0.3, 0.2, 0.25, 0.15, 0.05],
        numbers={"age": (54, 9), "income": (45, 10)},
        travel=drives,
    )
    retired = _household(
        place={"city": 0.3, "town": 0.4, "village": 0.3},
        owns=0.65,
        people=[0.45, 0.55, 0, 0, 0, 0],
        numbers={"age": (74, 6), "income": (28, 7)},
        travel=walks,
    )
    world = 0.2 * students + 0.4 * families + 0.1 * farmers + 0.3 * retired
    return Model(world, {"people": "integer", "age": "integer"})


def bad_clustering() -> Model:
    """Return two flat Gaussian clusters, one above the other, which a split at ``x = 0`` cuts.

    It is the SoftLearn paper's illustration: a learner that begins with that cut cannot find the
    two clouds again if it hands each row to one side only.
    """
    below = Gaussian("x", -0.5, 1) * Gaussian("y", -2, 0.2)
    above = Gaussian("x", 0.5, 1) * Gaussian("y", 2, 0.2)
    return Model(0.5 * below + 0.5 * above)


def hidden_groups(n_columns: int, n_groups: int, seed: int = 0, *, mixed: bool = False) -> Model:
    """Return a world of any size; within each hidden group all columns are independent.

    Parameters
    ----------
    n_columns : int
        How many columns, called "x0", "x1" and so on. The first columns of a wider world of the
        same groups and seed are those of a narrower one.
    n_groups : int
        How many groups; the rows of a group tend to have certain values in each column.
    seed : int
        Which of all such worlds, 0 or more.
    mixed : bool
        Whether the columns are in turn boolean, categorical, integer and numeric, instead of all
        boolean.
    """
    for name, number, least in (
        ("n_columns", n_columns, 1),
        ("n_groups", n_groups, 1),
        ("seed", seed, 0),
    ):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise SoftlearnError(f"{name} must be a whole number, {least} or more, not {number!r}")
    kinds = tuple(_LEAVES) if mixed else ("boolean",)
    columns = {f"x{i}": kinds[i % len(kinds)] for i in range(n_columns)}
    # A generator for each column, so that columns do not depend on how many others there are.
    leaves = [
        _LEAVES[kind](name, n_groups, np.random.default_rng([seed, 1 + i]))
        for i, (name, kind) in enumerate(columns.items())
    ]
    groups: list[Node] = [Product(group) for group in zip(*leaves, strict=True)]
    weights = _shares(np.random.default_rng([seed, 0]), n_groups, evenness=5.0)
    integers = {name: kind for name, kind in columns.items() if kind == "integer"}
    return Model(Sum(tuple(weights.tolist()), tuple(groups)), integers)


def _household(
    *,
    place: dict[str, float],
    owns: float,
    people: list[float],
    numbers: dict[str, tuple[float, float]],
    travel: Node,
) -> Node:
    """Return one kind of household, within which all but car and km is independent."""
    leaves = [
        Categorical("place", place),
        Categorical("owns", {False: 1 - owns, True: owns}),
        Histogram("people", _PEOPLE, people),
        *(Gaussian(name, mean, deviation) for name, (mean, deviation) in numbers.items()),
    ]
    return Product((*leaves, travel))


def _shares(rng: np.random.Generator, n: int, evenness: float) -> Floats:
    """Return random probabilities, none of them below a fiftieth of the average."""
    return 0.98 * rng.dirichlet(np.full(n, evenness)) + 0.02 / n


def _boolean(name: str, n_groups: int, rng: np.random.Generator) -> list[Leaf]:
    shares = [_shares(rng, 2, evenness=0.5).tolist() for _ in range(n_groups)]
    return [Categorical(name, {False: no, True: yes}) for no, yes in shares]


def _categorical(name: str, n_groups: int, rng: np.random.Generator) -> list[Leaf]:
    shares = [_shares(rng, len(_LEVELS), evenness=0.5).tolist() for _ in range(n_groups)]
    return [Categorical(name, dict(zip(_LEVELS, share, strict=True))) for share in shares]


def _integer(name: str, n_groups: int, rng: np.random.Generator) -> list[Leaf]:
    means, deviations = rng.uniform(0, 100, n_groups), rng.uniform(3, 10, n_groups)
    return [Gaussian(name, *pair) for pair in zip(means, deviations, strict=True)]


def _numeric(name: str, n_groups: int, rng: np.random.Generator) -> list[Leaf]:
    means, deviations = rng.normal(0, 3, n_groups), rng.uniform(0.5, 1.5, n_groups)
    return [Gaussian(name, *pair) for pair in zip(means, deviations, strict=True)]


_LEAVES: Final[dict[str, Callable[[str, int, np.random.Generator], list[Leaf]]]] = {
    "boolean": _boolean,
    "categorical": _categorical,
    "integer": _integer,
    "numeric": _numeric,
}
