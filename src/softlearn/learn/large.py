"""Split large slices, whose rows are in several parts, until only small slices are left.

Rows are not moved: statistics are measured part by part and merged (``softlearn.stats``), and
slices are split by the same rules as in ``softlearn.kernels.grow.growth``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from softlearn.arrays import Bools, Floats, Offsets
from softlearn.kernels.grow.work import (
    LEAF,
    PRODUCT,
    Children,
    GrowTable,
    GrowthOptions,
    Nodes,
    OpenSlice,
    Split,
)
from softlearn.learn.memory import Decision, Memory
from softlearn.learn.pieces import OPEN, Piece
from softlearn.learn.receive import recalled, receive
from softlearn.learn.slices import LargeSlice, OpenPlace, in_parts
from softlearn.learn.watch import Engine, Progress
from softlearn.stats.clusters import clusters_of
from softlearn.stats.dependence import labels_of
from softlearn.stats.layout import Layout
from softlearn.stats.parts import Held, Parts
from softlearn.stats.slice_rows import ClusterSizes, SliceRows


class _Found(NamedTuple):
    """How a slice is split, as measured from its rows."""

    split: Split  # without memberships
    memberships: Held = None  # stored with the rows
    sizes: ClusterSizes | None = None


@dataclass(frozen=True, eq=False)
class LargeGrower:
    """Splits large slices.

    Attributes
    ----------
    parts
        The rows of the table.
    layout
        Their layout.
    no_rows
        The table without its rows.
    options
        How slices are split.
    memory
        Earlier decisions, from a checkpoint.
    """

    parts: Parts
    layout: Layout
    no_rows: GrowTable
    options: GrowthOptions
    memory: Memory

    def split(self, task: LargeSlice) -> tuple[Piece, list[LargeSlice]]:
        """Return the nodes of a slice, and the slices of its children."""
        from softlearn.kernels.grow.part import close_or_split, what_becomes_of  # noqa: PLC0415

        rows = SliceRows(self.parts, task.shares, task.columns)
        found = self._found(task, rows)
        known, fallback = task.known()
        which = self._needed(what_becomes_of(found.split), found, task) & (fallback < 0)
        statistics = rows.statistics(which, self.layout) if which.any() else np.zeros(0)
        size = np.where(which, self.layout.n_statistics[task.columns], 0)
        places = np.where(which, known.size + np.cumsum(size) - size, fallback)
        nodes = _room_for(task.columns.size + 1)
        kind, node, children = close_or_split(_header(task), found.split, places, nodes)
        piece = _piece(nodes, node, children, np.concatenate([known, statistics]))
        opened = []
        for k in range(children.which.size):
            place = _place_of(task, piece, children, k)
            if kind == PRODUCT:
                opened.append(_part(task, place, found.split.label == children.which[k]))
            else:
                opened.append(self._cluster(rows, place, found, int(children.which[k]), places))
        return piece, opened

    def _found(self, task: LargeSlice, rows: SliceRows) -> _Found:
        """Decide how a slice is split, and measure its clusters if it is split by rows."""
        from softlearn.kernels.grow.part import is_closed  # noqa: PLC0415 - loads Numba

        options, columns = self.options, task.columns
        split = _no_split(columns.size, options.n_clusters)
        if options.stop[0] or is_closed(_header(task), task.weight, options):
            return _Found(split)
        decision = self.memory.decision(task)
        if decision is None:
            decision = self._decide(task, rows)
            if not options.stop[0]:
                self.memory.keep_decision(task, decision)
        split.label[:] = decision.label
        split.n_columns[:] = np.bincount(decision.label, minlength=columns.size)
        clusters = decision.clusters
        if clusters is None:
            return _Found(split)
        memberships = rows.memberships(clusters, options.cluster)
        sizes = rows.sizes(memberships, options.min_weight)
        split.n_rows[: clusters.n_clusters] = sizes.n_rows
        split.mass[: clusters.n_clusters] = sizes.mass
        return _Found(split, memberships, sizes)

    def _decide(self, task: LargeSlice, rows: SliceRows) -> Decision:
        """Test the columns of a slice for independence; if all are dependent, cluster its rows."""
        # Loads Numba.
        from softlearn.kernels.grow.from_python import take_rows  # noqa: PLC0415
        from softlearn.kernels.seeds import own_seeds  # noqa: PLC0415

        options, columns = self.options, task.columns
        core = rows.core(options.core_weight)
        label = np.zeros(columns.size, np.int64)
        if not task.connected:
            label[:] = labels_of(core, self.layout, options)
            if (label != label[0]).any():
                return Decision(label, None)
        shape = take_rows(self.no_rows, np.zeros(0, np.int32), np.zeros(0), columns)
        picks = own_seeds(np.uint64(task.seed), options.n_clusters)
        clusters = clusters_of(
            self.parts,
            core.data,
            shape,
            picks=picks,
            options=options.cluster,
            stop=options.stop,
        )
        return Decision(label, clusters)

    def _needed(self, kind: int, found: _Found, task: LargeSlice) -> Bools:
        """Return which columns need statistics of this slice.

        These are columns that become leaves, and columns without a cell in one of the clusters.
        """
        split = found.split
        if kind == LEAF:
            return np.ones(task.columns.size, bool)
        if kind == PRODUCT:
            return np.equal(split.n_columns[split.label], 1)
        assert found.sizes is not None
        lacks = np.equal(found.sizes.n_cells[found.sizes.n_rows > 0], 0)
        needed: Bools = lacks.any(axis=0) & self.layout.has_gaps[task.columns]
        return needed

    def _cluster(
        self, rows: SliceRows, place: OpenPlace, found: _Found, which: int, places: Offsets
    ) -> LargeSlice:
        """Return the slice of a cluster; columns without a cell there get this slice's leaf."""
        assert found.sizes is not None
        columns, sizes = rows.columns, found.sizes
        lacks = (sizes.n_cells[which] == 0) & self.layout.has_gaps[columns]
        ends = places + self.layout.n_statistics[columns]
        fallback = {
            int(columns[j]): place.piece.statistics[places[j] : ends[j]]
            for j in np.flatnonzero(lacks).tolist()
        }
        shares = rows.carried_on(found.memberships, which, self.options.min_weight)
        n_rows, weight = int(sizes.n_rows[which]), float(sizes.mass[which])
        return in_parts(replace(place, fallback=fallback), shares, n_rows, weight)


def _part(task: LargeSlice, place: OpenPlace, own: Bools) -> LargeSlice:
    """Return the slice of all rows and some columns, which depend on each other."""
    place = replace(place, columns=task.columns[own], connected=True, fallback=task.fallback)
    return in_parts(place, task.shares, task.n_rows, task.weight)


def _place_of(task: LargeSlice, piece: Piece, children: Children, k: int) -> OpenPlace:
    """Return the place in the tree of a slice's k-th child."""
    return OpenPlace(
        columns=task.columns,
        seed=int(children.seed[k]),
        depth=task.depth + 1,
        connected=False,
        n_nodes=float(children.n_nodes[k]),
        piece=piece,
        place=piece.kind.size - children.which.size + k,
    )


class SmallSliceGrower(Protocol):
    """Grows slices that are small enough to be grown in one place."""

    def takes(self, task: LargeSlice) -> bool:
        """Return whether a slice is small enough."""

    def hand_over(self, task: LargeSlice) -> None:
        """Accept a slice, to be grown now or later."""

    def collect(self, progress: Progress, engine: Engine) -> None:
        """Add the sub-trees that are finished to the tree."""


def split_large(
    grower: LargeGrower,
    first: LargeSlice,
    small: SmallSliceGrower,
    *,
    progress: Progress,
    engine: Engine,
) -> None:
    """Split slices until none is large, and hand small slices over to ``small``."""
    large = [first]
    while large:
        try:
            task = large[-1]
            more: list[LargeSlice] = []
            is_known = recalled(task, progress, engine)
            if not is_known and small.takes(task):
                small.hand_over(task)
            elif not is_known:
                piece, more = grower.split(task)
                is_cut = bool(grower.options.stop[0])
                receive(task, piece, more, progress, engine, cut_short=is_cut)
            large.pop()
            large.extend(reversed(more))
            small.collect(progress, engine)
            engine.watch(progress)
        except KeyboardInterrupt:
            grower.options.stop.fill(1)
            if not engine.keep_partial:
                raise


def _no_split(n_columns: int, n_clusters: int) -> Split:
    """Return the initial split of a slice: all columns in one group, and no clusters."""
    return Split(
        label=np.zeros(n_columns, np.int64),
        n_columns=np.zeros(n_columns, np.int64),
        membership=np.zeros((0, 0)),
        n_rows=np.zeros(n_clusters, np.int64),
        mass=np.zeros(n_clusters),
    )


def _header(task: OpenPlace) -> OpenSlice:
    """Return a slice in the form that kernels read, without its rows."""
    _, fallback = task.known()
    return OpenSlice(
        rows=np.zeros(0, np.int32),
        weights=np.zeros(0),
        columns=task.columns,
        fallback=fallback,
        parent=-1,
        edge=1.0,
        seed=np.uint64(task.seed),
        depth=task.depth,
        connected=task.connected,
        n_nodes=task.n_nodes,
    )


def _room_for(n_nodes: int) -> Nodes:
    return Nodes(
        size=np.zeros(2, np.int64),
        kind=np.zeros(n_nodes, np.uint8),
        parent=np.zeros(n_nodes, np.int64),
        weight=np.zeros(n_nodes),
        column=np.zeros(n_nodes, np.int32),
        place=np.zeros(n_nodes, np.int64),
        statistics=np.zeros(0),
    )


def _piece(nodes: Nodes, node: int, children: Children, statistics: Floats) -> Piece:
    """Return a piece of the nodes, with an open node for each child of the slice's own node."""
    n, n_open = int(nodes.size[0]), children.which.size
    nothing = np.full(n_open, -1)
    return Piece(
        kind=np.concatenate([nodes.kind[:n], np.full(n_open, OPEN, np.uint8)]),
        parent=np.concatenate([nodes.parent[:n], np.full(n_open, node)]),
        weight=np.concatenate([nodes.weight[:n], children.edge]),
        column=np.concatenate([nodes.column[:n], nothing]),
        place=np.concatenate([nodes.place[:n], nothing]),
        statistics=statistics,
    )
