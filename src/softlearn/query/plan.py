"""Compile a circuit, once, into a program that evaluates blocks of rows in cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.circuit import SUM, Circuit
from softlearn.kernels.program import (
    BINARY,
    LEAF_REACH,
    SMALLEST_WEIGHT,
    TABLE,
    TILE,
    TILE_RANGE,
    WEIGHTED_CODE,
    Graph,
    Program,
)
from softlearn.leaf import FAMILIES
from softlearn.query.instructions import (
    Instructions,
    LeafRuns,
    LeafSizes,
    fused_edges,
    instructions,
    leaf_runs,
)
from softlearn.query.leaves import discrete_tables

TILE_LEAVES = 256  # leaves that families compute at a time: 1 MB of values and exponents a block

# A table holds probabilities from here up; smaller ones take the path with exponents.
_SMALLEST_IN_TABLE = 2.0**-LEAF_REACH


@dataclass(frozen=True, eq=False)
class Plan:
    """A compiled circuit.

    Attributes
    ----------
    program
        Instructions over ``n_slots`` slots; the root's value ends up in slot ``root``.
    segment_ends
        (segments, 2): the end of each segment in the instructions and in ``tile_leaf``.
    tile_leaf
        The leaves that families compute, in order of use.
    slot_of
        (nodes,) where each node's value stays, -1 if it has no slot; only in a trace.
    needs_exponents
        Whether any row can leave the range of plain float64.
    """

    of: ReferenceType[Circuit]  # weak, or the cache of plans would keep every circuit alive
    program: Program
    n_slots: int
    root: int
    segment_ends: Offsets
    tile_leaf: Ids
    slot_of: Ids
    needs_exponents: bool

    @property
    def circuit(self) -> Circuit:
        """The circuit; who uses its plan holds it."""
        circuit = self.of()
        assert circuit is not None
        return circuit

    @cached_property
    def columns(self) -> DiscreteColumns:
        """Where the kernels keep what a block knows about discrete columns."""
        return DiscreteColumns.of(self.circuit)

    @cached_property
    def graph(self) -> Graph:
        """The circuit as the kernels that go down read it."""
        return graph_of(self.circuit, self.slot_of)

    @cached_property
    def leaf_uses(self) -> tuple[Ids, Ids]:
        """Return every leaf in every place where rows reach it, and the slot of their flow."""
        circuit = self.circuit
        fused = fused_edges(circuit)
        alone = np.flatnonzero(self.slot_of[: circuit.n_leaves] >= 0)
        leaf = np.concatenate([alone, circuit.child[fused]])
        slot = self.slot_of[np.concatenate([alone, circuit.edge_owner[fused]])]
        return leaf.astype(np.int32), slot


@dataclass(frozen=True)
class DiscreteColumns:
    """The two kinds of discrete columns, each with its place in the block's arrays."""

    binary: Ids  # positions in the schema of columns with two levels
    table: Ids  # positions in the schema of columns with more levels
    place: Ids  # (columns,) row in the factors or codes, -1 if continuous
    n_levels: Ids  # (table columns,)

    @staticmethod
    def of(circuit: Circuit) -> DiscreteColumns:
        """Sort the circuit's columns."""
        levels = np.array([column.n_levels for column in circuit.schema.columns])
        discrete = np.array([column.is_discrete for column in circuit.schema.columns])
        binary = np.flatnonzero(discrete & (levels == 2)).astype(np.int32)
        table = np.flatnonzero(discrete & (levels != 2)).astype(np.int32)
        place = np.full(levels.size, -1, np.int32)
        place[binary] = np.arange(binary.size)
        place[table] = np.arange(table.size)
        return DiscreteColumns(binary, table, place, levels[table].astype(np.int32))


def graph_of(circuit: Circuit, slot_of: Ids) -> Graph:
    """Return a circuit with the slots of its nodes, for kernels that go down."""
    table, offset = discrete_tables(circuit)
    return Graph(
        (circuit.kind == SUM).astype(np.uint8),
        circuit.edge_start,
        circuit.child,
        circuit.weight,
        slot_of,
        circuit.leaf_column,
        offset,
        table,
        np.array([column.n_levels for column in circuit.schema.columns], np.int32),
    )


_PLANS: WeakKeyDictionary[Circuit, dict[bool, Plan]] = WeakKeyDictionary()


def plan_for(circuit: Circuit, *, trace: bool = False) -> Plan:
    """Return the circuit's plan, compiled on first use.

    With ``trace`` every inner node keeps its value, for passes that go back down.
    """
    known = _PLANS.setdefault(circuit, {})
    if trace not in known:
        known[trace] = _compile(circuit, trace)
    return known[trace]


def _compile(circuit: Circuit, trace: bool) -> Plan:
    from softlearn.kernels.schedule import fold_order, place_checks  # noqa: PLC0415 - loads Numba

    table, offset = discrete_tables(circuit)
    sizes = _leaf_sizes(circuit, table, offset)
    runs = leaf_runs(circuit, sizes)
    order = fold_order(circuit.edge_start, circuit.child, fused_edges(circuit))
    code = instructions(circuit, order, runs)
    sound = (code.op, code.to, code.a, code.b, code.weight_a, code.weight_b)
    leaf_low = np.append(runs.low, 0.0)[code.run]
    leaf_high = np.append(runs.high, 0.0)[code.run]
    check = place_checks(*sound, leaf_low, leaf_high, code.final, circuit.n_nodes)
    slots, n_slots, slot_of = _slots(circuit, code, trace)
    uses = _LeafUses.of(runs, code.run, sizes.source)
    place = np.where(
        uses.is_tile,
        uses.tile_place,
        DiscreteColumns.of(circuit).place[circuit.leaf_column[uses.leaf]],
    )
    program = Program(
        op=code.op,
        to=slots[0],
        a=slots[1],
        b=slots[2],
        weight_a=code.weight_a,
        weight_b=code.weight_b,
        leaf_from=uses.start[:-1].astype(np.int32),
        leaf_to=uses.start[1:].astype(np.int32),
        check=check,
        leaf_source=sizes.source[uses.leaf],
        leaf_place=place.astype(np.int32),
        leaf_offset=offset[uses.leaf],
        table=table,
    )
    tiny_weight = bool(((circuit.weight > 0) & (circuit.weight < SMALLEST_WEIGHT)).any())
    return Plan(
        of=ref(circuit),
        program=program,
        n_slots=n_slots,
        root=int(slots[0, -1]),
        segment_ends=uses.segment_ends,
        tile_leaf=uses.leaf[uses.is_tile],
        slot_of=slot_of,
        needs_exponents=bool(check.any() or uses.is_tile.any() or tiny_weight),
    )


def _slots(circuit: Circuit, code: Instructions, trace: bool) -> tuple[Ids, int, Ids]:
    """Return (to, a, b) as slots, their number, and where each node's value stays in a trace."""
    from softlearn.kernels.schedule import assign_slots  # noqa: PLC0415 - loads Numba

    slot_of = np.full(circuit.n_nodes, -1, np.int32)
    if not trace:
        slots, n_slots = assign_slots(code.to, code.a, code.b, circuit.n_nodes)
        return slots, int(n_slots), slot_of
    nodes = np.unique(code.to)
    slot_of[nodes] = np.arange(nodes.size)
    read = [np.where(side < 0, 0, slot_of[side]) for side in (code.to, code.a, code.b)]
    return np.stack(read).astype(np.int32), nodes.size, slot_of


def _leaf_sizes(circuit: Circuit, table: Floats, offset: Offsets) -> LeafSizes:
    """Return where each leaf's value comes from and how small and large it may be."""
    n_levels = np.array([column.n_levels for column in circuit.schema.columns])[circuit.leaf_column]
    discrete = np.array([family.discrete for family in FAMILIES])[circuit.leaf_family]
    smallest, largest = np.ones(circuit.n_leaves), np.ones(circuit.n_leaves)
    if discrete.any():
        # Each leaf's table ends in the 1.0 of "unobserved", which is a possible value too.
        starts = offset[discrete]
        smallest[discrete] = np.minimum.reduceat(np.where(table > 0, table, np.inf), starts)
        largest[discrete] = np.maximum.reduceat(table, starts)
    in_table = discrete & (smallest >= _SMALLEST_IN_TABLE) & (n_levels < WEIGHTED_CODE)
    source = np.where(in_table, np.where(n_levels == 2, BINARY, TABLE), TILE)
    low = np.where(in_table, np.log2(smallest), -TILE_RANGE)
    high = np.where(in_table, np.log2(largest), TILE_RANGE)
    return LeafSizes(source.astype(np.uint8), low, high)


class _LeafUses(NamedTuple):
    """The leaves in the order in which the instructions read them."""

    leaf: Ids  # (uses,)
    start: Offsets  # (instructions + 1,)
    is_tile: Bools  # (uses,)
    tile_place: Offsets  # (uses,)             row in the tile of its segment
    segment_ends: Offsets  # (segments, 2)     in the instructions and in the tile leaves

    @staticmethod
    def of(runs: LeafRuns, run: Offsets, source: Kinds) -> _LeafUses:
        """Lay out the runs' leaves, and cut the instructions into segments of full tiles."""
        length = np.append(np.diff(runs.start), 0)[run]
        start = np.concatenate([[0], np.cumsum(length)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], length)
        leaf = runs.leaf[np.repeat(np.append(runs.start[:-1], 0)[run], length) + within]
        is_tile = source[leaf] == TILE
        tiles_before = np.concatenate([[0], np.cumsum(is_tile)])[start]  # (instructions + 1,)
        ends, done = [], 0
        while done < run.size:
            room = tiles_before[done] + TILE_LEAVES
            done = int(np.searchsorted(tiles_before, room, side="right")) - 1
            ends.append((done, int(tiles_before[done])))
        segment_ends = np.array(ends, dtype=np.int64)
        segment_starts = np.concatenate([[0], segment_ends[:-1, 1]])
        count = np.cumsum(is_tile) - 1
        segment = np.searchsorted(segment_ends[:, 1], count, side="right")
        tile_place = count - segment_starts[np.minimum(segment, len(ends) - 1)]
        return _LeafUses(leaf, start, is_tile, tile_place, segment_ends)
