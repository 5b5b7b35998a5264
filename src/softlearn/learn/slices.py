"""Slices of the training table: the open work of a growing circuit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softlearn.arrays import Floats, Ids
from softlearn.learn.config import GrowConfig
from softlearn.learn.pieces import Piece
from softlearn.learn.seeds import first_seed
from softlearn.learn.training import Training


@dataclass(frozen=True, eq=False, kw_only=True)
class Slice:
    """One piece of open work: some rows with their weights, over some columns.

    Attributes
    ----------
    seed
        Children's seeds are spawned from it, so the result does not depend on who works when.
    connected
        Whether it is known not to fall into independent parts.
    n_nodes
        How many nodes it may become.
    inherited
        The parent's leaves, for columns of which no row here has a value.
    piece, place
        The open node where it belongs.
    """

    rows: Ids
    weights: Floats
    columns: Ids
    seed: int
    depth: int
    connected: bool
    n_nodes: float
    inherited: Mapping[int, Floats] = field(default_factory=dict)
    piece: Piece
    place: int

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(self.rows.size * self.columns.size)

    @property
    def mass(self) -> float:
        """Weight of all cells."""
        return float(self.weights.sum()) * int(self.columns.size)


def whole_table(
    training: Training, config: GrowConfig, seed: np.random.SeedSequence, piece: Piece
) -> Slice:
    """Return the slice that everything begins with; it belongs to the piece's first node."""
    return Slice(
        rows=np.arange(training.n_rows, dtype=np.int32),
        weights=training.weights,
        columns=np.arange(len(training.schema), dtype=np.int32),
        seed=first_seed(seed),
        depth=0,
        connected=False,
        n_nodes=np.inf if config.max_nodes is None else float(config.max_nodes),
        piece=piece,
        place=0,
    )
