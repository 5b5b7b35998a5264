"""Learn from encoded partitions: on the workers if the learner can, otherwise in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from softlearn.circuit import Circuit
from softlearn.errors import SoftlearnError
from softlearn.learn import Engine, Entry
from softlearn.scale.cluster import current_client
from softlearn.scale.growing import grow_on_workers
from softlearn.scale.partitions import Delayed
from softlearn.table import Schema


def learn(
    blocks: Sequence[Delayed],
    schema: Schema,
    entry: Entry[Any],
    config: Any,  # noqa: ANN401 - the entry's own
    *,
    seed: np.random.SeedSequence,
    engine: Engine,
) -> Circuit:
    """Return the circuit learnt from encoded rows, one delayed ``Block`` per part.

    If there are workers, growers leave the rows there. Otherwise the rows are gathered in this
    process, with 8 bytes per cell.
    """
    client = current_client()
    choices = None if entry.choices is None else entry.choices(config, schema)
    may_stay = choices is not None and not choices.trees and not choices.fine_tune
    if client is not None and choices is not None and may_stay:
        entry.check_kinds(schema)
        return grow_on_workers(client, blocks, schema, choices, seed=seed, engine=engine)
    gathered = [block for block in dask.compute(*blocks) if block.weights.size]
    if not gathered:
        raise SoftlearnError("learning needs at least two rows; all partitions are empty")
    return entry.learn(gathered, schema, config, seed, engine)
