"""What growing is, in plain Python: the specification of ``softlearn.kernels.grow``.

A slice (some rows with their weights, some columns) becomes a product if its columns fall into
parts that do not depend on each other, else a sum of clusters that share its rows, else leaves.
Seeds, slices, clustering, moments and tests of pairs have plain twins of their own elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from softlearn.circuit import LEAF, PRODUCT, SUM, Circuit
from softlearn.kernels.grow.from_python import moments_of
from softlearn.kernels.seeds import child_seed, own_seeds
from softlearn.learn.assemble import assemble
from softlearn.learn.config import GrowConfig
from softlearn.learn.leaves import finish_leaves
from softlearn.learn.options import cluster_options
from softlearn.learn.pieces import Piece
from softlearn.stats.bins import MISSING, Codes
from softlearn.stats.clustering import memberships
from softlearn.stats.independence import binary_parts, rank_parts, table_parts
from softlearn.stats.table import TrainingTable
from stats.plain_bins import pair_tables
from stats.plain_clustering import levels_of


@dataclass(frozen=True)
class Slice:
    """Some rows with their weights, over some columns; see ``softlearn.learn.slices.Slice``."""

    rows: np.ndarray
    weights: np.ndarray
    columns: np.ndarray
    seed: np.uint64
    n_nodes: float
    depth: int = 0
    connected: bool = False
    above: dict[int, np.ndarray] = field(default_factory=dict)  # statistics, by column


@dataclass
class PlainGrower:
    """Grows one table; `memberships` may be replaced to force the clusters."""

    table: TrainingTable
    config: GrowConfig
    memberships: Callable[..., np.ndarray | None] = memberships
    nodes: list[tuple[int, int, float, int, np.ndarray]] = field(default_factory=list)

    def grow(self, seed: np.random.SeedSequence) -> Piece:
        """Return the tree of the whole table."""
        rows = np.arange(self.table.n_rows, dtype=np.int32)
        columns = np.arange(len(self.table.schema), dtype=np.int32)
        most = np.inf if self.config.max_nodes is None else self.config.max_nodes
        first = seed.generate_state(1, np.uint64)[0]
        self.split(Slice(rows, self.table.weights, columns, first, most), -1, 1.0)
        kind, parent, weight, column, statistics = zip(*self.nodes, strict=True)
        size = np.array([own.size for own in statistics])
        arrays = map(np.array, (kind, parent, weight, column))
        return Piece(*arrays, np.cumsum(size) - size, np.concatenate(statistics))

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
            self.split_columns(task, parts, self.add(PRODUCT, parent, edge))
        elif len(clusters := self.clusters(task)) > 1:
            self.share_rows(task, clusters, self.add(SUM, parent, edge))
        else:
            self.close(task, parent, edge)

    def close(self, task: Slice, parent: int, edge: float) -> None:
        """Make leaves of all columns."""
        if task.columns.size > 1:
            parent, edge = self.add(PRODUCT, parent, edge), 1.0
        for column in task.columns.tolist():
            self.add(LEAF, parent, edge, column, self.known(task, column))

    def split_columns(self, task: Slice, parts: np.ndarray, node: int) -> None:
        """Grow a product's children: columns alone in their part, then parts by their label."""
        size = np.bincount(parts)
        alone = size[parts] == 1
        for column in task.columns[alone].tolist():
            self.add(LEAF, node, 1.0, column, self.known(task, column))
        groups, n_linked = np.flatnonzero(size > 1), np.count_nonzero(~alone)
        spare = task.n_nodes - 1 - np.count_nonzero(alone) - (n_linked + groups.size)
        child = replace(task, depth=task.depth + 1, connected=True)
        for place, part in enumerate(groups.tolist(), 1):
            own, seed = task.columns[parts == part], np.uint64(child_seed(task.seed, place))
            most = own.size + 1 + spare * own.size / n_linked
            self.split(replace(child, columns=own, seed=seed, n_nodes=most), node, 1.0)

    def share_rows(self, task: Slice, clusters: list[tuple], node: int) -> None:
        """Grow a sum's children; an edge weighs as much as all rows in its cluster, kept or not."""
        total, least = sum(mass for _, _, mass in clusters), task.columns.size + 1
        spare = task.n_nodes - 1 - len(clusters) * least
        above = {column: self.known(task, column) for column in task.columns.tolist()}
        for place, (rows, weights, mass) in enumerate(clusters, 1):
            seed, most = np.uint64(child_seed(task.seed, place)), least + spare * mass / total
            child = Slice(rows, weights, task.columns, seed, most, task.depth + 1, above=above)
            self.split(child, node, mass / total)

    def clusters(self, task: Slice) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """The rows of each cluster that keep enough of themselves, their weights, and its mass."""
        data = self.table.take(task.rows, task.weights, task.columns)
        core = self.core(task)
        core_data = self.table.take(core.rows, core.weights, core.columns)
        picks = own_seeds(task.seed, self.config.n_clusters)
        clusters = []
        found = self.memberships(data, picks, cluster_options(self.config), core_data)
        for membership in () if found is None else found:
            part = task.weights * membership
            keeps = part > self.config.min_weight * self.table.weights[task.rows]
            if keeps.any():
                clusters.append((task.rows[keeps], part[keeps], float(part.sum())))
        return clusters

    def core(self, task: Slice) -> Slice:
        """The rows that have a say in tests and clusters; all if none is heavy enough."""
        heavy = task.weights > self.config.core_weight * self.table.weights[task.rows]
        if not heavy.any():
            return task
        return replace(task, rows=task.rows[heavy], weights=task.weights[heavy])

    def parts(self, task: Slice) -> np.ndarray:
        """A label per column, equal for those that depend on each other."""
        task = self.core(task)
        level = self.config.level(task.columns.size, float(task.weights.sum()))
        test = self.config.test
        if (self.table.single_of[task.columns] >= 0).all():
            cells = [levels_of(self.table, column)[task.rows] for column in task.columns]
            x = np.array(cells, float)
            return binary_parts((x * task.weights) @ x.T, task.weights.sum(), level, test)
        some = Codes(*(part[task.columns] for part in self.table.codes))
        some = some._replace(codes=some.codes[:, task.rows])
        parts, own = np.arange(task.columns.size), self.table.weights[task.rows]
        tested = np.flatnonzero(~some.numeric) if self.config.ranks else parts
        if tested.size > 1:
            codes = Codes(*(part[tested] for part in some))
            tables = pair_tables(codes, task.weights, own, coarse=not self.config.ranks)
            parts[tested] = tested[table_parts(tables, level, test)]
        if self.config.ranks:
            parts = rank_parts(parts, some.codes, some.numeric, task.weights, level)
        return parts

    def known(self, task: Slice, column: int) -> np.ndarray:
        """The statistics of a leaf; of a column without a cell those of the slice above."""
        own = self.statistics(task, column)
        return own if own.any() else task.above.get(column, own)

    def statistics(self, task: Slice, column: int) -> np.ndarray:
        """The weights of levels, the moments and the weights of bins of a column."""
        table, rows, w, found = self.table, task.rows, task.weights, [np.zeros(0)]
        if table.n_levels[column] > 0:
            found.append(weights_of(levels_of(table, column)[rows], w, table.n_levels[column]))
        if table.number_of[column] >= 0:
            cells = table.numbers[table.number_of[column]]
            found.append(moments_of(cells, rows, w, table.weights))
        if table.n_bins[column] > 0:
            bins = table.bins[table.arrays.bins_of[column], rows].astype(int)
            bins[bins == MISSING] = -1
            found.append(weights_of(bins, w, table.n_bins[column]))
        return np.concatenate(found)


def weights_of(cells: np.ndarray, weights: np.ndarray, n: int) -> np.ndarray:
    """The weight of each of n levels or bins; a missing cell is -1."""
    return np.bincount(cells[cells >= 0], weights[cells >= 0], n)


def plainly_grown(
    table: TrainingTable, config: GrowConfig, seed: np.random.SeedSequence, **forced
) -> Circuit:
    """The circuit of a table."""
    settled = config.for_rows(float(table.weights.sum()))
    tree = PlainGrower(table, settled, **forced).grow(seed)
    return assemble(tree, finish_leaves(tree, table, config), table.schema)
