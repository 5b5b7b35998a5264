"""Tiny named circuits whose answers can be worked out by hand, and those answers.

``ANSWERS`` holds (circuit, row of evidence by column name, probability or density). A value is a
level or a number, a Python set is a set of levels, a pair is an interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softlearn.circuit import Categorical, Circuit, Gaussian, Histogram, Product, Sum, flatten
from softlearn.leaf import Interval
from softlearn.query import Evidence


def coin() -> Circuit:
    """A mixture of a fair coin and one that always shows 1: P(1) = 0.4 · 0.5 + 0.6 = 0.8."""
    return flatten(
        0.4 * Categorical("coin", {0: 0.5, 1: 0.5}) + 0.6 * Categorical("coin", {0: 0.0, 1: 1.0})
    )


def two_coins() -> Circuit:
    """Two independent coins: P(a = 1) = 0.75, P(b = 1) = 0.1."""
    return flatten(Categorical("a", {0: 0.25, 1: 0.75}) * Categorical("b", {0: 0.9, 1: 0.1}))


def xor() -> Circuit:
    """A fair pair of bits that always differ."""
    a, b = ({v: Categorical(name, {v: 1.0, 1 - v: 0.0}) for v in (0, 1)} for name in "ab")
    return flatten(0.5 * a[0] * b[1] + 0.5 * a[1] * b[0])


def gaussian_pair() -> Circuit:
    """The example that the paper opens with: two clusters, X independent of Y in each."""
    left = Gaussian("X", -0.5, 1) * Gaussian("Y", -2, 0.2)
    right = Gaussian("X", 0.5, 1) * Gaussian("Y", 2, 0.2)
    return flatten(0.5 * left + 0.5 * right)


def dag() -> Circuit:
    """Both branches share the sum over b, so a and b are independent: P(b = 1) = 0.5."""
    b = 0.5 * Categorical("b", {0: 0.8, 1: 0.2}) + 0.5 * Categorical("b", {0: 0.2, 1: 0.8})
    first = Product((Categorical("a", {0: 1.0, 1: 0.0}), b))
    second = Product((Categorical("a", {0: 0.5, 1: 0.5}), b))
    return flatten(Sum((0.2, 0.8), (first, second)))


def one_leaf() -> Circuit:
    """A root that is a leaf."""
    return flatten(Categorical("size", {"S": 0.2, "M": 0.3, "L": 0.5}))


def one_level() -> Circuit:
    """A column that can only have one value, beside a coin."""
    return flatten(Categorical("always", {"yes": 1.0}) * Categorical("coin", {0: 0.5, 1: 0.5}))


def histogram() -> Circuit:
    """Density 0.4 on [0, 1), nothing on [1, 2), 0.3 on [2, 4]."""
    return flatten(Histogram("x", [0, 1, 2, 4], [0.4, 0.0, 0.6]))


ZOO = {
    make.__name__: make
    for make in (coin, two_coins, xor, gaussian_pair, dag, one_leaf, one_level, histogram)
}

_PEAK = 1.0 / math.sqrt(2.0 * math.pi)  # of the standard normal density

ANSWERS: list[tuple[str, dict[str, Any], float]] = [
    ("coin", {}, 1.0),
    ("coin", {"coin": 1}, 0.8),
    ("coin", {"coin": 0}, 0.2),
    ("coin", {"coin": {0, 1}}, 1.0),
    ("coin", {"coin": set()}, 0.0),
    ("two_coins", {"a": 1, "b": 1}, 0.075),
    ("two_coins", {"a": 1}, 0.75),
    ("two_coins", {"a": {0}, "b": 0}, 0.225),
    ("xor", {"a": 0, "b": 0}, 0.0),
    ("xor", {"a": 0, "b": 1}, 0.5),
    ("xor", {"a": 1}, 0.5),
    ("gaussian_pair", {"X": 0.5}, 0.5 * _PEAK * (1.0 + math.exp(-0.5))),
    ("gaussian_pair", {"X": 0.0, "Y": 2.0}, 0.5 * _PEAK * math.exp(-0.125) * 5.0 * _PEAK),
    ("gaussian_pair", {"Y": (0.0, np.inf)}, 0.5),
    ("gaussian_pair", {"X": (0.5, np.inf), "Y": (2.0, np.inf)}, 0.125),
    ("dag", {"a": 1}, 0.4),
    ("dag", {"b": 1}, 0.5),
    ("dag", {"a": 1, "b": 1}, 0.2),
    ("one_leaf", {"size": "M"}, 0.3),
    ("one_leaf", {"size": {"S", "L"}}, 0.7),
    ("one_level", {"always": "yes"}, 1.0),
    ("one_level", {"always": "yes", "coin": 1}, 0.5),
    ("one_level", {"always": set()}, 0.0),
    ("histogram", {"x": 0.5}, 0.4),
    ("histogram", {"x": 1.5}, 0.0),
    ("histogram", {"x": 4.0}, 0.3),
    ("histogram", {"x": (0.5, 3.0)}, 0.5),
    ("histogram", {"x": (5.0, 9.0)}, 0.0),
]


def evidence(circuit: Circuit, **known: Any) -> Evidence:
    """Return one row of evidence, by column name."""
    values = np.full((len(circuit.schema), 1), np.nan)
    sets, intervals = {}, {}
    for name, what in known.items():
        position = circuit.schema.index(name)
        levels = circuit.schema.columns[position].levels
        if isinstance(what, set):
            sets[position] = np.array([[level in what for level in levels]])
        elif isinstance(what, tuple):
            intervals[position] = Interval(np.array([what[0]]), np.array([what[1]]))
        else:
            values[position, 0] = levels.index(what) if levels else what
    return Evidence(values, sets, intervals)
