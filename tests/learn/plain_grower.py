"""What growing is, in plain Python: the specification of ``softlearn.kernels.grow``.

A slice (some rows with their weights, some columns) becomes a product if its columns fall into
parts that do not depend on each other, else a sum of clusters that share its rows, else leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit
from softlearn.kernels.cluster.rows import RowData
from softlearn.learn.assemble import assemble
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import finish_leaves
from softlearn.learn.options import cluster_options
from softlearn.learn.pieces import Piece
from softlearn.stats.bins import MISSING, Codes
from softlearn.stats.clustering import memberships
from softlearn.stats.independence import binary_parts, rank_parts, table_parts
from softlearn.stats.rows import Csr
from softlearn.stats.table import TrainingTable
from stats.plain_bins import pair_tables

_BITS, _STEP = 2**64, 0x9E3779B97F4A7C15


def mixed(state: int) -> int:
    """The output of SplitMix64 in a state."""
    bits = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % _BITS
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % _BITS
    return bits ^ (bits >> 31)


def child_seed(seed: int, place: int) -> int:
    """The seed of the child at a place, counted from 1."""
    return mixed((seed + place * _STEP) % _BITS)


def own_uniforms(seed: int, n: int) -> np.ndarray:
    """Numbers in [0, 1) for a node itself."""
    own = mixed(seed ^ (_BITS - 1))
    return np.array([mixed((own + (i + 1) * _STEP) % _BITS) >> 11 for i in range(n)]) * 2.0**-53


@dataclass(frozen=True)
class Slice:
    """Some rows with their weights, over some columns; see ``softlearn.learn.slices.Slice``."""

    rows: np.ndarray
    weights: np.ndarray
    columns: np.ndarray
    seed: int
    n_nodes: float
    depth: int = 0
    connected: bool = False
    known: dict[int, np.ndarray] = field(default_factory=dict)


@dataclass
class PlainGrower:
    """Grows one table; `memberships` may be replaced to force the clusters."""

    table: TrainingTable
    config: GrowConfig
    memberships: Callable[..., np.ndarray | None] = memberships
    nodes: list[tuple[int, int, float, int, np.ndarray]] = field(default_factory=list)

    def grow(self, seed: np.random.SeedSequence) -> Piece:
        """Return the tree of the whole table."""
        n_rows, n_columns = self.table.n_rows, len(self.table.schema)
        first = int(seed.generate_state(1, np.uint64)[0])
        most = np.inf if self.config.max_nodes is None else float(self.config.max_nodes)
        every = np.arange(n_rows, dtype=np.int32)
        self.split(Slice(every, self.table.weights, np.arange(n_columns), first, most), -1, 1.0)
        kind, parent, weight, column, statistics = zip(*self.nodes, strict=True)
        end = np.cumsum([own.size for own in statistics])
        return Piece(
            kind=np.array(kind, np.uint8),
            parent=np.array(parent),
            weight=np.array(weight),
            column=np.array(column),
            place=end - [own.size for own in statistics],
            statistics=np.concatenate(statistics),
        )

    def add(self, kind: int, parent: int, edge: float, column: int = -1, own=()) -> int:
        """Add a node; return its id."""
        self.nodes.append((kind, parent, edge, column, np.array(own, float)))
        return len(self.nodes) - 1

    def split(self, task: Slice, parent: int, edge: float) -> None:
        """Grow the circuit of a slice below a parent."""
        n_columns, config = task.columns.size, self.config
        is_deep = config.max_depth is not None and task.depth >= config.max_depth
        if is_deep or n_columns == 1 or task.n_nodes < 1 + config.n_clusters * (n_columns + 1):
            self.close(task, parent, edge)
            return
        parts = np.zeros(n_columns, int) if task.connected else self.parts(task)
        if (parts != parts[0]).any():
            self.split_columns(task, parts, parent, edge)
            return
        clusters = self.clusters(task)
        if len(clusters) < 2:
            self.close(task, parent, edge)
        else:
            self.share_rows(task, clusters, parent, edge)

    def close(self, task: Slice, parent: int, edge: float) -> None:
        """Make leaves of all columns."""
        if task.columns.size > 1:
            parent, edge = self.add(PRODUCT, parent, edge), 1.0
        for column in task.columns.tolist():
            self.add_leaf(task, column, parent, edge)

    def add_leaf(self, task: Slice, column: int, parent: int, edge: float) -> None:
        """Add a leaf; what no row of the slice has a cell of is as in an ancestor."""
        own = task.known.get(column)
        own = self.statistics(task, column) if own is None else own
        self.add(LEAF, parent, edge, column, own)

    def split_columns(self, task: Slice, parts: np.ndarray, parent: int, edge: float) -> None:
        """Make a product: first the columns alone in their part, then the parts by their label."""
        node, size = self.add(PRODUCT, parent, edge), np.bincount(parts)
        alone = size[parts] == 1
        for column in task.columns[alone].tolist():
            self.add_leaf(task, column, node, 1.0)
        groups, n_linked = np.flatnonzero(size > 1), np.count_nonzero(~alone)
        spare = task.n_nodes - 1 - np.count_nonzero(alone) - (n_linked + groups.size)
        child = partial(Slice, task.rows, task.weights, depth=task.depth + 1, known=task.known)
        for place, part in enumerate(groups.tolist(), 1):
            own, seed = task.columns[parts == part], child_seed(task.seed, place)
            most = own.size + 1 + spare * own.size / n_linked
            self.split(child(own, seed, most, connected=True), node, 1.0)

    def share_rows(self, task: Slice, clusters: list[tuple], parent: int, edge: float) -> None:
        """Make a sum of the clusters, each with the weight of all rows in it, kept or not."""
        node, total = self.add(SUM, parent, edge), sum(mass for _, _, mass in clusters)
        least = task.columns.size + 1
        spare = task.n_nodes - 1 - len(clusters) * least
        own = {column: self.statistics(task, column) for column in task.columns.tolist()}
        known = {**own, **task.known}
        for place, (rows, weights, mass) in enumerate(clusters, 1):
            seed, most = child_seed(task.seed, place), least + spare * mass / total
            seen = (self.table.codes.codes[:, rows] != MISSING).any(axis=1)
            unseen = {column: about for column, about in known.items() if not seen[column]}
            child = Slice(
                rows, weights, task.columns, seed, most, depth=task.depth + 1, known=unseen
            )
            self.split(child, node, mass / total)

    def clusters(self, task: Slice) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """The rows of each cluster that keep enough of themselves, their weights, and its mass."""
        uniforms = own_uniforms(task.seed, self.config.n_clusters)
        found = self.memberships(self.data(task), uniforms, cluster_options(self.config))
        clusters = []
        for membership in () if found is None else found:
            part = task.weights * membership
            keeps = part > self.config.min_weight * self.table.weights[task.rows]
            if keeps.any():
                clusters.append((task.rows[keeps], part[keeps], float(part.sum())))
        return clusters

    def parts(self, task: Slice) -> np.ndarray:
        """A label per column, equal for those that depend on each other."""
        level, test = self.config.level(task.columns.size), self.config.test
        if self.table.single[task.columns].all():
            x = self.indicators(task)
            return binary_parts((x * task.weights) @ x.T, task.weights.sum(), level, test)
        codes, n_codes, numeric = self.table.codes
        some = Codes(
            codes[task.columns][:, task.rows], n_codes[task.columns], numeric[task.columns]
        )
        parts, own = np.arange(task.columns.size), self.table.weights[task.rows]
        tested = np.flatnonzero(~some.numeric) if self.config.ranks else parts
        if tested.size > 1:
            codes = Codes(*(part[tested] for part in some))
            tables = pair_tables(codes, task.weights, own, coarse=not self.config.ranks)
            parts[tested] = tested[table_parts(tables, level, test)]
        if self.config.ranks:
            parts = rank_parts(parts, some.codes, some.numeric, task.weights, level)
        return parts

    def features(self, columns: np.ndarray) -> np.ndarray:
        """The positions of some columns' indicators."""
        start = self.table.feature_start
        return np.concatenate([np.arange(start[j], start[j + 1]) for j in columns])

    def indicators(self, task: Slice) -> np.ndarray:
        """The slice's indicators, (features, rows), in double precision."""
        every = self.table.indicators
        if isinstance(every, Csr):
            row = np.repeat(np.arange(self.table.n_rows), np.diff(every.start))
            dense = np.zeros((self.table.feature_start[-1], self.table.n_rows))
            dense[every.feature, row] = 1.0
            every = dense
        return every[self.features(task.columns)][:, task.rows].astype(float)

    def data(self, task: Slice) -> RowData:
        """The slice as clustering reads it, in the form of the table."""
        table, x = self.table, self.indicators(task)
        n_features = np.diff(table.feature_start)[task.columns]
        csr = Csr(np.zeros(1, np.int64), np.zeros(0, np.int32))
        if isinstance(table.indicators, Csr):
            start = np.concatenate([[0], np.cumsum(x.sum(axis=0))]).astype(np.int64)
            csr, x = Csr(start, np.nonzero(x.T)[1].astype(np.int32)), x[:0]
        numbers = table.number_of[task.columns]
        return RowData(
            dense=np.ascontiguousarray(x, np.float32),
            start=csr.start,
            feature=csr.feature,
            numbers=np.ascontiguousarray(table.numbers[numbers[numbers >= 0]][:, task.rows]),
            weights=task.weights,
            groups=np.concatenate([[0], np.cumsum(n_features[n_features > 0])]),
            single=table.single[task.columns][n_features > 0],
        )

    def statistics(self, task: Slice, column: int) -> np.ndarray:
        """The weights of levels, the moments and the weights of bins of a column."""
        table, w, found = self.table, task.weights, []
        levels = self.indicators(Slice(task.rows, w, np.array([column]), 0, 0.0)) @ w
        if table.single[column]:
            levels = np.append(max(w.sum() - levels[0], 0.0), levels)
        found.append(levels)
        if table.number_of[column] >= 0:
            x = table.numbers[table.number_of[column], task.rows]
            found.append(moments(x, w, table.weights[task.rows]))
        if column in table.edges:
            bins = table.bins[list(table.edges).index(column), task.rows]
            every = np.bincount(bins, w, MISSING + 1)
            found.append(every[: table.edges[column].size - 1])
        return np.concatenate(found)


def moments(x: np.ndarray, weights: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The fields of ``GaussianStats``; a row of weight `own` is so many equal ones."""
    seen = ~np.isnan(x)
    if not seen.any():
        return np.zeros(5)
    x, w, own = x[seen], weights[seen], own[seen]
    centre = x[w.argmax()]
    offset = np.average(x - centre, weights=w)
    scatter = w @ (x - centre - offset) ** 2
    return np.array([w.sum(), max(w.sum() ** 2 - (w**2 / own).sum(), 0), centre, offset, scatter])


def plainly_grown(
    table: TrainingTable, config: GrowConfig, seed: np.random.SeedSequence, **forced
) -> Circuit:
    """The circuit of a table."""
    tree = PlainGrower(table, config, **forced).grow(seed)
    return assemble(tree, finish_leaves(tree, table, config), table.schema)
