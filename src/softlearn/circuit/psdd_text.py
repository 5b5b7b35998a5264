"""Read and validate the text format of PSDDs and of their column trees (vtrees).

A ``.vtree`` file has a line ``L id variable`` or ``I id left right`` for each node of the tree, a
``.psdd`` file ``L id vtree literal``, ``T id vtree variable log-probability`` or
``D id vtree n (prime sub log-probability)…`` for each node of the circuit; children come before
parents, and variables count from 1. Lines that begin with ``c`` are comments. One of ours holds the
columns' names and levels, which the format has no place for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from softlearn.circuit.draft import Draft
from softlearn.circuit.flat import Circuit
from softlearn.circuit.normalise import normalised
from softlearn.errors import ModelFileError, SoftlearnError
from softlearn.leaf import CATEGORICAL
from softlearn.numeric_policy import STEP_TOLERANCE
from softlearn.table.schema import Column, Schema

COLUMNS: Final = "c columns "  # what the comment begins with that holds the columns
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|-inf", re.ASCII)
_FEWEST: Final = {"L": 2, "I": 3, "T": 4, "D": 6}


class Cut(NamedTuple):
    """A node of the tree of columns."""

    variable: int  # from 1 on; 0 for inner nodes
    left: int  # ids of the parts; -1 for leaves
    right: int


class _Line(NamedTuple):
    """A line that is no comment, in words; it says what is wrong with it."""

    number: int
    words: list[str]

    def wrong(self, what: str) -> ModelFileError:
        return ModelFileError(f"line {self.number}: {what}")

    def whole(self, place: int) -> int:
        """Return a word as a whole number."""
        if place >= len(self.words):
            raise self.wrong(f"it ends after {len(self.words)} words, too early")
        if not _WHOLE.fullmatch(self.words[place]):
            raise self.wrong(f"{self.words[place]!r} is not a whole number")
        return int(self.words[place])

    def logarithm(self, place: int) -> float:
        """Return a word as the logarithm of a probability."""
        if place >= len(self.words):
            raise self.wrong(f"it ends after {len(self.words)} words, too early")
        if not _NUMBER.fullmatch(self.words[place]):
            raise self.wrong(f"{self.words[place]!r} is not a logarithm of a probability")
        value = float(self.words[place])
        if value > STEP_TOLERANCE:
            raise self.wrong(f"a probability is at most 1, and its logarithm is not {value:g}")
        return min(value, 0.0)

    def must_have(self, n_words: int) -> None:
        if len(self.words) != n_words:
            raise self.wrong(f"{n_words} words are expected, not {len(self.words)}")


def read_vtree(text: str) -> dict[int, Cut]:
    """Return the nodes of a tree of columns by their ids, the root last."""
    found: dict[int, Cut] = {}
    is_below, variables = set[int](), set[int]()
    for line in _lines(text, "vtree"):
        kind, node = line.words[0], line.whole(1)
        if node in found:
            raise line.wrong(f"there is a node {node} already")
        if kind == "L":
            line.must_have(3)
            variable = line.whole(2)
            if variable < 1 or variable in variables:
                raise line.wrong("variables count from 1, and each has one leaf")
            variables.add(variable)
            found[node] = Cut(variable, -1, -1)
        elif kind == "I":
            line.must_have(4)
            parts = line.whole(2), line.whole(3)
            for part in parts:
                if part not in found or part in is_below:
                    raise line.wrong(f"part {part} is not a node before this line, or used twice")
                is_below.add(part)
            found[node] = Cut(0, *parts)
        else:
            raise line.wrong(f"a line begins with c, L or I, not {kind!r}")
    if len(found) - len(is_below) != 1:
        raise ModelFileError("its nodes are not one tree")
    if max(variables) != len(variables):
        raise ModelFileError(f"its variables are not those from 1 to {len(variables)}")
    return found


def read_psdd(text: str, vtree: dict[int, Cut]) -> Circuit:
    """Return the circuit of a PSDD over a tree of columns."""
    schema = _columns(text, sum(cut.variable > 0 for cut in vtree.values()))
    reading = _Reading(schema, vtree)
    for line in _lines(text, "psdd"):
        reading.add(line)
    if reading.place.get(reading.last) != next(reversed(vtree)):
        raise ModelFileError("its last node is not at the root of the tree of columns")
    return normalised(reading.draft.circuit(reading.ids[reading.last]))


class _Reading:
    """The nodes of a circuit, line by line."""

    def __init__(self, schema: Schema, vtree: dict[int, Cut]) -> None:
        self.draft, self.vtree = Draft(schema), vtree
        self.ids: dict[int, int] = {}  # in the draft
        self.place: dict[int, int] = {}  # in the tree
        self.last = -1
        self._leaves: dict[tuple[int, float], int] = {}

    def add(self, line: _Line) -> None:
        node, place = line.whole(1), line.whole(2)
        if node in self.ids:
            raise line.wrong(f"there is a node {node} already")
        if place not in self.vtree:
            raise line.wrong(f"the tree of columns has no node {place}")
        kind = line.words[0]
        if kind == "L":
            line.must_have(4)
            literal = line.whole(3)
            certain = 0.0 if literal > 0 else -math.inf
            self.ids[node] = self._leaf(line, place, abs(literal), certain)
        elif kind == "T":
            line.must_have(5)
            self.ids[node] = self._leaf(line, place, line.whole(3), line.logarithm(4))
        elif kind == "D":
            self.ids[node] = self._decision(line, place)
        else:
            raise line.wrong(f"a line begins with c, L, T or D, not {kind!r}")
        self.place[node], self.last = place, node

    def _leaf(self, line: _Line, place: int, variable: int, logarithm: float) -> int:
        if self.vtree[place].variable != variable or variable < 1:
            raise line.wrong(f"node {place} of the tree of columns is not variable {variable}")
        key = variable - 1, logarithm
        if key not in self._leaves:
            params = np.array([[-math.expm1(logarithm), math.exp(logarithm)]])
            self._leaves[key] = int(self.draft.add_leaves(key[0], CATEGORICAL, params)[0])
        return self._leaves[key]

    def _decision(self, line: _Line, place: int) -> int:
        cut, n = self.vtree[place], line.whole(3)
        if cut.variable:
            raise line.wrong(f"node {place} of the tree of columns is a leaf")
        line.must_have(4 + 3 * n)
        products, weights = [], []
        for at in range(4, 4 + 3 * n, 3):
            pair, weight = (line.whole(at), line.whole(at + 1)), math.exp(line.logarithm(at + 2))
            for part, where in zip(pair, (cut.left, cut.right), strict=True):
                if self.place.get(part) != where:
                    raise line.wrong(f"node {part} is not at node {where} of the tree of columns")
            if weight > 0.0:
                products.append(self.draft.add_product([self.ids[part] for part in pair]))
                weights.append(weight)
        if not abs(sum(weights) - 1.0) <= STEP_TOLERANCE:
            raise line.wrong(f"its probabilities add to {sum(weights):g} instead of 1")
        return self.draft.add_sum(products, np.array(weights) / sum(weights))


def _lines(text: str, kind: str) -> Iterator[_Line]:
    """Yield the lines of nodes, as many as the first line says."""
    n_said, n = -1, 0
    for number, words in enumerate(map(str.split, text.splitlines()), start=1):
        if not words or words[0] == "c":
            continue
        line = _Line(number, words)
        if n_said < 0:
            if words[0] != kind:
                raise line.wrong(f"the first line that is no comment says {kind!r} and a number")
            line.must_have(2)
            n_said = line.whole(1)
            continue
        n += 1
        yield line
    if n_said < 1 or n != n_said:
        raise ModelFileError(f"it holds {n} nodes, and its line {kind!r} says {max(n_said, 0)}")


def _columns(text: str, n: int) -> Schema:
    """Return the columns that a comment tells; without one they are numbered from 1."""
    lines = [line[len(COLUMNS) :] for line in text.splitlines() if line.startswith(COLUMNS)]
    if not lines:
        return Schema(tuple(Column(str(i + 1), "boolean") for i in range(n)))
    try:
        schema = Schema.from_dict(json.loads(lines[0]))
    except (ValueError, RecursionError, SoftlearnError) as error:
        raise ModelFileError(f"its comment about the columns is damaged: {error}") from error
    if [column.n_levels for column in schema] != [2] * n:
        raise ModelFileError(f"its comment about the columns must describe {n} of two levels each")
    return schema
