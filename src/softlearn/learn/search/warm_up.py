"""Compile the kernels of all learners before the clock of a search starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softlearn.errors import SoftlearnError
from softlearn.learn.blocks import Block
from softlearn.learn.registry import LEARNERS
from softlearn.learn.search.trial import Candidate
from softlearn.learn.watch import Engine
from softlearn.query.evidence import Evidence
from softlearn.query.likelihood import log_likelihood
from softlearn.table.schema import Schema

_ROWS = 30
_COLUMNS = 2  # of each kind


def warm_up(schema: Schema, block: Block, tried: Sequence[Candidate], n_jobs: int) -> None:
    """Fit one candidate of each kind to a few rows and columns.

    Kernels are compiled the first time that they are used after an installation, which takes long
    and says nothing about a learner.
    """
    schema, few = _small(schema, block)
    for one in {one.kind: one for one in reversed(tried)}.values():
        entry = LEARNERS[one.learner]
        quick = {"max_iter": 1} if "max_iter" in entry.parameters else {}
        config = entry.config(**{**one.settings, **quick})
        try:
            circuit = entry.learn(
                [few], schema, config, np.random.SeedSequence(0), Engine(n_jobs=n_jobs)
            )
        except SoftlearnError:  # reported when it is tried
            continue
        log_likelihood(circuit, Evidence(few.values))


def _small(schema: Schema, block: Block) -> tuple[Schema, Block]:
    """Return a few rows of the first columns of each kind."""
    places: dict[tuple[str, bool], list[int]] = {}
    for place, column in enumerate(schema):
        places.setdefault((column.kind, column.scale is None), []).append(place)
    chosen = sorted(place for own in places.values() for place in own[:_COLUMNS])
    values = np.ascontiguousarray(block.values[chosen, :_ROWS])
    columns = tuple(schema.columns[place] for place in chosen)
    return Schema(columns, schema.frame), Block(values, block.weights[:_ROWS])
