"""Which columns depend on each other, how strongly, and in which way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softlearn.arrays import Floats
from softlearn.circuit import Circuit
from softlearn.numeric_policy import NORMALISATION_TOLERANCE
from softlearn.query import mutual_information
from softlearn.query.joint import joint_tables
from softlearn.show.cells import Cells
from softlearn.show.wording import level_text, moved

# Limit of rows of evidence × nodes of the circuit for comparing all pairs: a few seconds.
_WORK = 200_000_000
_WORTH_A_WORD = 0.005  # of the uncertainty in common
_CLEARLY = 0.1  # correlation of ranks from which columns count as rising together
_LEVEL_LETTERS = 20
_DIGITS = 12  # beyond which a difference is rounding; of equals the first level is named


@dataclass(frozen=True, slots=True)
class Dependence:
    """Two columns that depend on each other.

    Attributes
    ----------
    first, second
        The columns.
    nats
        Their mutual information. It is exact between discrete columns; numbers and times count by
        their fifth of the model's distribution, which can only make it smaller.
    share
        How much of their uncertainty they have in common: the mutual information over the mean of
        their entropies. 0 for independent columns, 1 if each of them tells the other.
    words
        In which way they depend.
    """

    first: str
    second: str
    nats: float
    share: float
    words: str


def compared_columns(twin: Circuit, bound: Floats) -> list[int]:
    """Return the columns to compare pair by pair: all that may depend, or those that may most."""
    order = np.argsort(-bound, kind="stable")
    cost = np.cumsum([twin.schema.columns[i].n_levels for i in order]) * twin.n_nodes
    fits = (cost <= _WORK) & (bound[order] > NORMALISATION_TOLERANCE)
    return sorted(order[fits].tolist())


def strongest(twin: Circuit, cells: list[Cells], columns: list[int], most: int) -> list[Dependence]:
    """Return the pairs of these columns that share most of their uncertainty, strongest first."""
    nats = mutual_information(twin, columns)
    uncertain = np.diag(nats)
    first, second = np.triu_indices(len(columns), 1)
    common = 2.0 * nats[first, second] / (uncertain[first] + uncertain[second])
    order = np.argsort(-common, kind="stable")[:most]
    found = []
    for pair in order.tolist():
        i, j = int(first[pair]), int(second[pair])
        if common[pair] < _WORTH_A_WORD:
            break
        pair_of = columns[i], columns[j]
        a, b = cells[columns[i]], cells[columns[j]]
        words = _way(a, b, joint_tables(twin, pair_of)[pair_of])
        share = float(min(common[pair], 1.0))
        names = a.column.name, b.column.name
        found.append(Dependence(*names, float(nats[i, j]), share, words))
    return found


def _way(a: Cells, b: Cells, joint: Floats) -> str:
    """Describe the dependence of two columns in words."""
    if a.column.is_discrete and not b.column.is_discrete:
        return _way(b, a, joint.T)
    if a.column.is_discrete:
        expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(joint > 0.0, joint * np.log(joint / expected), 0.0)
        i, j = np.unravel_index(np.argmax(gain.round(_DIGITS)), gain.shape)
        return f"{_level(a, int(i))} goes with {_level(b, int(j))}"
    rank = np.cumsum(joint.sum(axis=1)) - 0.5 * joint.sum(axis=1) - 0.5
    if b.column.is_discrete:
        lift = rank @ joint  # (levels,) how far the number is moved, times the level's share
        level = int(np.argmax(np.abs(lift).round(_DIGITS)))
        return (
            f"{a.column.name} {moved(a.column, up=bool(lift[level] > 0))} with {_level(b, level)}"
        )
    other = np.cumsum(joint.sum(axis=0)) - 0.5 * joint.sum(axis=0) - 0.5
    spread = (joint.sum(axis=1) @ rank**2) * (joint.sum(axis=0) @ other**2)
    correlation = float(rank @ joint @ other) / np.sqrt(spread)
    if abs(correlation) < _CLEARLY:
        return "in no single direction"
    return "rise together" if correlation > 0 else "one falls as the other rises"


def _level(cells: Cells, code: int) -> str:
    return level_text(cells.column.name, cells.column.levels[code], _LEVEL_LETTERS)
