"""The one place where a learner meets rows that live on workers."""

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
    """Return the circuit that a learner makes of encoded rows, one delayed ``Block`` per part.

    With workers, growers leave the rows there. Otherwise they are gathered here, as numbers: 8
    bytes per cell.
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
