"""Slices of the training table: the open work of a growing circuit, in and out of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from softlearn.arrays import Floats, Ids, Offsets
from softlearn.kernels.grow.work import Nodes, OpenSlices
from softlearn.learn.config import GrowConfig
from softlearn.learn.pieces import OPEN, Piece
from softlearn.stats.parts import Held, Share
from softlearn.stats.table import TrainingTable


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenPlace:
    """An open place in the tree, with everything known of its slice but the rows.

    Attributes
    ----------
    columns
        The columns that are left.
    seed
        Children's seeds derive from it, so the result does not depend on the order of work.
    connected
        Whether its columns are known not to form independent parts.
    n_nodes
        The maximum number of nodes below it.
    fallback
        Statistics of an ancestor for columns without an observed cell here, by column.
    piece, place
        The open node where it belongs.
    """

    columns: Ids
    seed: int
    depth: int
    connected: bool
    n_nodes: float
    fallback: Mapping[int, Floats] = field(default_factory=dict)
    piece: Piece
    place: int

    def known(self) -> tuple[Floats, Offsets]:
        """Return the concatenated fallbacks, and where that of each column begins, or -1."""
        known = [self.fallback.get(column) for column in self.columns.tolist()]
        statistics = np.concatenate([np.zeros(0), *(own for own in known if own is not None)])
        size = np.array([0 if own is None else own.size for own in known])
        return statistics, np.where(size > 0, np.cumsum(size) - size, -1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Slice(OpenPlace):
    """An open slice: some rows with their weights, over some columns."""

    rows: Ids
    weights: Floats

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(self.rows.size * self.columns.size)

    @property
    def mass(self) -> float:
        """Weight of all cells."""
        return float(self.weights.sum()) * int(self.columns.size)


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeSlice(OpenPlace):
    """An open slice whose rows are in several parts.

    Attributes
    ----------
    shares
        Its ``softlearn.stats.parts.Share`` in each bucket.
    n_rows, weight
        Number and weight of its rows.
    """

    shares: Held
    n_rows: int
    weight: float

    @property
    def mass(self) -> float:
        """Weight of all cells."""
        return self.weight * int(self.columns.size)


def first_place(
    n_columns: int, config: GrowConfig, seed: np.random.SeedSequence, piece: Piece
) -> OpenPlace:
    """Return the first open place, which belongs to the piece's first node."""
    return OpenPlace(
        columns=np.arange(n_columns, dtype=np.int32),
        seed=int(seed.generate_state(1, np.uint64)[0]),
        depth=0,
        connected=False,
        n_nodes=np.inf if config.max_nodes is None else float(config.max_nodes),
        piece=piece,
        place=0,
    )


def whole_table(
    table: TrainingTable, config: GrowConfig, seed: np.random.SeedSequence, piece: Piece
) -> Slice:
    """Return the slice of all rows; it belongs to the piece's first node."""
    rows = Share(np.arange(table.n_rows, dtype=np.int32), table.weights)
    return with_rows(first_place(len(table.schema), config, seed, piece), rows)


def with_rows(place: OpenPlace, share: Share) -> Slice:
    """Return an open slice with all its rows in memory."""
    return Slice(**_about(place), rows=share.rows, weights=share.weights)


def in_parts(place: OpenPlace, shares: Held, n_rows: int, weight: float) -> LargeSlice:
    """Return an open slice whose rows are in several parts."""
    return LargeSlice(**_about(place), shares=shares, n_rows=n_rows, weight=weight)


def _about(place: OpenPlace) -> dict[str, Any]:
    return {one.name: getattr(place, one.name) for one in fields(OpenPlace)}


def as_stack(task: Slice) -> tuple[Nodes, OpenSlices]:
    """Return no nodes, and a stack with one slice; the kernel may overwrite these copies."""
    statistics, place = task.known()
    nodes = Nodes(
        size=np.array([0, statistics.size]),
        kind=np.zeros(0, np.uint8),
        parent=np.zeros(0, np.int64),
        weight=np.zeros(0),
        column=np.zeros(0, np.int32),
        place=np.zeros(0, np.int64),
        statistics=statistics,
    )
    return nodes, OpenSlices(
        size=np.array([1, task.rows.size, task.columns.size]),
        rows=task.rows.copy(),
        weights=task.weights.copy(),
        columns=task.columns.copy(),
        fallback=place,
        row_end=np.array([task.rows.size]),
        column_end=np.array([task.columns.size]),
        parent=np.array([-1]),
        edge=np.ones(1),
        seed=np.array([task.seed], np.uint64),
        depth=np.array([task.depth]),
        connected=np.array([task.connected]),
        n_nodes=np.array([task.n_nodes]),
    )


def as_piece(nodes: Nodes, work: OpenSlices) -> Piece:
    """Return the nodes, and an open one for each open slice; the last slice comes first."""
    n, n_open = int(nodes.size[0]), int(work.size[0])
    of_open = slice(n_open - 1, None, -1) if n_open else slice(0)
    nothing = np.full(n_open, -1)
    return Piece(
        kind=np.concatenate([nodes.kind[:n], np.full(n_open, OPEN, np.uint8)]),
        parent=np.concatenate([nodes.parent[:n], work.parent[of_open]]),
        weight=np.concatenate([nodes.weight[:n], work.edge[of_open]]),
        column=np.concatenate([nodes.column[:n], nothing]),
        place=np.concatenate([nodes.place[:n], nothing]),
        statistics=nodes.statistics[: nodes.size[1]].copy(),
    )


def open_slices(work: OpenSlices, piece: Piece, n_statistics: Offsets) -> list[Slice]:
    """Return the open slices; rows are copied, because a view would keep the whole stack alive."""
    row = column = 0
    slices = []
    for i in range(work.size[0]):
        row_end, column_end = work.row_end[i], work.column_end[i]
        columns = work.columns[column:column_end].copy()
        places = zip(columns.tolist(), work.fallback[column:column_end].tolist(), strict=True)
        child = Slice(
            rows=work.rows[row:row_end].copy(),
            weights=work.weights[row:row_end].copy(),
            columns=columns,
            seed=int(work.seed[i]),
            depth=int(work.depth[i]),
            connected=bool(work.connected[i]),
            n_nodes=float(work.n_nodes[i]),
            fallback={
                own: piece.statistics[place : place + n_statistics[own]]
                for own, place in places
                if place >= 0
            },
            piece=piece,
            place=piece.kind.size - 1 - i,
        )
        slices.append(child)
        row, column = row_end, column_end
    return slices
