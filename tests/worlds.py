"""Oracles: all worlds of a circuit, and integrals over its continuous columns by quadrature.

They know nothing of plans, slots or leaves' masses: only densities of complete rows, computed by
a plain recursion over the build form, are added up.
"""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np

import plain_scale
from random_circuits import agrees, every_world
from softlearn.circuit import Circuit, Leaf, Node, Sum, build_form
from softlearn.query import Evidence
from softlearn.table.schema import Column

__all__ = ["agrees", "density", "every_world", "mass_by_quadrature", "world_probabilities"]

_REACH = 12.0  # deviations of a Gaussian beyond which less than 1e-32 is left
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def density(circuit: Circuit, row: np.ndarray) -> float:
    """Return the density of one complete row, in exact sums, by the definition of a circuit."""
    columns = {column.name: (i, column) for i, column in enumerate(circuit.schema.columns)}
    answer: dict[int, float] = {}
    for node in build_form(circuit):
        answer[id(node)] = _value(node, row, columns, answer)
    return answer[id(node)]


def _value(
    node: Node, row: np.ndarray, columns: dict[str, tuple[int, Column]], known: dict[int, float]
) -> float:
    if isinstance(node, Leaf):
        position, column = columns[node.column]
        x = float(row[position])
        if node.family == "scaled":
            return plain_scale.density(column, node.params, x)
        return _leaf_density(node, x)
    below = [known[id(child)] for child in node.children]
    if isinstance(node, Sum):
        return math.fsum(w * value for w, value in zip(node.weights, below, strict=True))
    return math.prod(below)


def _leaf_density(leaf: Leaf, x: float) -> float:
    if leaf.family == "categorical":
        return leaf.params[int(x)]
    if leaf.family == "gaussian":
        mean, deviation = leaf.params
        return math.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * math.sqrt(math.tau))
    n_bins = len(leaf.params) // 2
    edges, probabilities = leaf.params[: n_bins + 1], leaf.params[n_bins + 1 :]
    bins = zip(pairwise(edges), probabilities, strict=True)
    for (lo, hi), p in bins:
        if lo <= x < hi or (x == hi == edges[-1]):
            return p / (hi - lo)
    return 0.0


def world_probabilities(circuit: Circuit) -> tuple[np.ndarray, np.ndarray]:
    """Return all worlds of a circuit that has finitely many, and their probabilities."""
    worlds = every_world(circuit)
    return worlds, np.array([density(circuit, world) for world in worlds.T])


def mass_by_quadrature(circuit: Circuit, evidence: Evidence, row: int) -> float:
    """Return the probability of one row of evidence: sums over levels, integrals over the line.

    The line is cut at the edges and around the means of the circuit's own leaves, so that
    Gauss–Legendre meets nothing but smooth pieces. Meant for one or two continuous columns.
    """
    points, weights = zip(
        *(_rule(circuit, evidence, row, i) for i in range(len(circuit.schema))), strict=True
    )
    return math.fsum(
        math.prod(w) * density(circuit, np.array(x))
        for x, w in zip(product(*points), product(*weights), strict=True)
    )


def _rule(circuit: Circuit, evidence: Evidence, row: int, column: int) -> tuple[list, list]:
    """Return the points of one column that agree with the evidence, and their weights."""
    known, about = evidence.values[column, row], circuit.schema.columns[column]
    if not np.isnan(known):
        return [known], [1.0]
    if about.is_discrete:
        mask = evidence.sets.get(column)
        codes = [k for k in range(about.n_levels) if mask is None or mask[row, k]]
        return [float(k) for k in codes], [1.0] * len(codes)
    bounds = evidence.intervals.get(column)
    if about.scale is not None:
        return _rule_on_scale(about, evidence, row, column)
    lo, hi = (-np.inf, np.inf) if bounds is None else (bounds.lo[row], bounds.hi[row])
    cuts = sorted({min(max(cut, lo), hi) for cut in _cuts(circuit, column)}) if lo <= hi else []
    pieces = [(a, b) for a, b in pairwise(cuts) if b > a]
    points = [0.5 * (a + b) + 0.5 * (b - a) * _NODES for a, b in pieces]
    weights = [0.5 * (b - a) * _WEIGHTS for a, b in pieces]
    return np.concatenate([*points, []]).tolist(), np.concatenate([*weights, []]).tolist()


def _rule_on_scale(about: Column, evidence: Evidence, row: int, column: int) -> tuple[list, list]:
    """Return the values of a column with a scale that agree with the evidence, and weights."""
    if column in evidence.intervals:
        lo, hi = (float(bound[row]) for bound in evidence.intervals[column])
        return plain_scale.points_and_weights(about, lo, hi)
    if column in evidence.listed:
        return plain_scale.listed_weights(about, evidence.listed[column].values.tolist())
    points, weights = plain_scale.points_and_weights(about)
    missing = [math.inf] if about.missing == "modelled" else []
    return points + missing, weights + [1.0] * len(missing)


def _cuts(circuit: Circuit, column: int) -> list[float]:
    cuts: list[float] = []
    for node in build_form(circuit)[: circuit.n_leaves]:
        if not isinstance(node, Leaf) or node.column != circuit.schema.columns[column].name:
            continue
        if node.family == "gaussian":
            mean, deviation = node.params
            cuts += [mean + k * deviation for k in (-_REACH, -4.0, 0.0, 4.0, _REACH)]
        else:
            cuts += node.params[: len(node.params) // 2 + 1]
    return cuts
