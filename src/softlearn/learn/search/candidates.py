"""The candidates of a search: all learners that accept the table, with settings from grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block, missing_cells
from softlearn.learn.entry import Entry
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.trial import Candidate
from softlearn.table.schema import Schema

_DRAWN = 8  # settings of each kind


def kinds_of_candidates(
    schema: Schema,
    block: Block,
    rng: np.random.Generator,
    learners: Sequence[str] | None = None,
) -> list[list[Candidate]]:
    """Return the candidates of each kind: defaults first, then random settings.

    Parameters
    ----------
    schema, block
        The table; learners that do not accept it are left out.
    rng
        The source of randomness.
    learners
        Names in the registry; by default all.
    """
    names = list(LEARNERS) if learners is None else list(learners)
    fit = [LEARNERS[name] for name in names if takes(LEARNERS[name], schema, block)]
    if not fit:
        raise SoftlearnError("no learner takes this table; fill its missing cells first")
    return [kind for entry in fit for kind in _kinds(entry, rng)]


def takes(entry: Entry[Any], schema: Schema, block: Block) -> bool:
    """Return whether a learner can learn from the table."""
    if any(column.kind not in entry.takes.kinds for column in schema):
        return False
    weights = block.weights[block.weights > 0.0]
    if not entry.takes.weights and (weights != 1.0).any():
        return False
    return entry.takes.missing or not any(
        missing_cells(column, cells).any()
        for column, cells in zip(schema, block.values, strict=True)
    )


def _kinds(entry: Entry[Any], rng: np.random.Generator) -> list[list[Candidate]]:
    """Return the candidates of each kind; each value of a parameter with words is a kind."""
    grids = {name: one.wide for name, one in entry.parameters.items() if one.wide}
    words = {
        name: values
        for name, values in grids.items()
        if all(isinstance(value, str) for value in values)
    }
    kinds = []
    for chosen in product(*words.values()):
        fixed = dict(zip(words, chosen, strict=True))
        matters = {
            name: values
            for name, values in grids.items()
            if name not in words and entry.parameters[name].matters({**_defaults(entry), **fixed})
        }
        kind = " ".join([entry.name, *map(str, chosen)])
        kinds.append([Candidate(entry.name, one, kind) for one in _settings(fixed, matters, rng)])
    return kinds


def _settings(
    fixed: Mapping[str, Any], grids: Mapping[str, Sequence[Any]], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return the defaults, and combinations of the grids without repetition.

    A grid with a single value replaces the default.
    """
    fixed = {**fixed, **{name: values[0] for name, values in grids.items() if len(values) == 1}}
    grids = {name: values for name, values in grids.items() if len(values) > 1}
    sizes = [len(values) for values in grids.values()]
    n_all = int(np.prod(sizes))
    if not sizes:
        return [dict(fixed)]
    drawn = rng.permutation(n_all)[:_DRAWN]
    places = np.unravel_index(drawn, sizes)
    combinations = [
        {name: values[place] for (name, values), place in zip(grids.items(), own, strict=True)}
        for own in zip(*places, strict=True)
    ]
    return [dict(fixed), *({**fixed, **one} for one in combinations)]


def _defaults(entry: Entry[Any]) -> dict[str, Any]:
    return {name: one.default for name, one in entry.parameters.items()}
