"""Compile a circuit, once, into a program that evaluates blocks of rows in cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from softlearn.arrays import Ids, Kinds, Offsets
from softlearn.circuit import SUM, Circuit
from softlearn.kernels.circuit.program import (
    BINARY,
    LEAF_REACH,
    PARABOLA,
    SMALLEST_WEIGHT,
    TABLE,
    TILE,
    TILE_RANGE,
    WEIGHTED_CODE,
    Graph,
    Program,
)
from softlearn.query.coding import code_counts
from softlearn.query.instructions import (
    Instructions,
    LeafRuns,
    LeafSizes,
    fused_edges,
    instructions,
    leaf_runs,
)
from softlearn.query.leaves import LeafTables, leaf_tables

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
        (segments, 2): the end of each segment in the instructions and in ``tile_leaf``. A segment
        has at most ``TILE_LEAVES`` of them, or one instruction.
    tile_leaf
        The leaves that families compute, in order of use.
    tile_row
        (tile leaves,) the row of the segment's tile that each of them is multiplied into.
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
    tile_row: Ids
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
    """The columns that kernels know by codes: levels or cells, not too many for a byte."""

    position: Ids  # (coded columns,) in the schema
    n_levels: Ids  # (coded columns,)
    place: Ids  # (columns,) row in the codes, -1 if it has none

    @staticmethod
    def of(circuit: Circuit) -> DiscreteColumns:
        """Find the circuit's columns of levels or cells."""
        levels = code_counts(circuit.schema)
        position = np.flatnonzero((levels > 0) & (levels < WEIGHTED_CODE)).astype(np.int32)
        place = np.full(levels.size, -1, np.int32)
        place[position] = np.arange(position.size)
        return DiscreteColumns(position, levels[position].astype(np.int32), place)


def graph_of(circuit: Circuit, slot_of: Ids) -> Graph:
    """Return a circuit with the slots of its nodes, for kernels that go down."""
    tables = leaf_tables(circuit)
    return Graph(
        (circuit.kind == SUM).astype(np.uint8),
        circuit.edge_start,
        circuit.child,
        circuit.weight,
        slot_of,
        circuit.leaf_column,
        tables.offset,
        tables.entries,
        np.array([column.n_levels for column in circuit.schema.columns], np.int32),
    )


class Style(NamedTuple):
    """What a plan is for; each circuit has one plan for each."""

    trace: bool  # every inner node keeps its value, for passes that go back down
    by_families: bool  # families answer for all continuous leaves


_PLANS: WeakKeyDictionary[Circuit, dict[Style, Plan]] = WeakKeyDictionary()


def plan_for(circuit: Circuit, *, trace: bool = False, by_families: bool = False) -> Plan:
    """Return the circuit's plan, compiled on first use.

    Parameters
    ----------
    circuit
        The circuit; the plan lives as long as it does.
    trace
        Whether every inner node keeps its value, for passes that go back down.
    by_families
        Whether families answer for all continuous leaves, which evidence with intervals needs.
    """
    known = _PLANS.setdefault(circuit, {})
    style = Style(trace, by_families)
    if style not in known:
        known[style] = _compile(circuit, style)
    return known[style]


def _compile(circuit: Circuit, style: Style) -> Plan:
    from softlearn.kernels.circuit.schedule import fold_order, place_checks  # noqa: PLC0415 - loads Numba

    tables = leaf_tables(circuit)
    sizes = _leaf_sizes(circuit, tables, style.by_families)
    runs = leaf_runs(circuit, sizes)
    order = fold_order(circuit.edge_start, circuit.child, fused_edges(circuit))
    code = instructions(circuit, order, runs)
    sound = (code.op, code.to, code.a, code.b, code.weight_a, code.weight_b)
    leaf_low = np.append(runs.low, 0.0)[code.run]
    leaf_high = np.append(runs.high, 0.0)[code.run]
    check = place_checks(*sound, leaf_low, leaf_high, code.final, circuit.n_nodes)
    slots, n_slots, slot_of = _slots(circuit, code, style.trace)
    uses = _LeafUses.of(runs, code.run, sizes.source)
    source, column = sizes.source[uses.leaf], circuit.leaf_column[uses.leaf]
    code_place = DiscreteColumns.of(circuit).place[column]
    place = np.select([source == TILE, source == PARABOLA], [uses.row, column], code_place)
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
        leaf_source=source,
        leaf_place=place.astype(np.int32),
        leaf_offset=tables.offset[uses.leaf],
        table=tables.entries,
    )
    tiny_weight = bool(((circuit.weight > 0) & (circuit.weight < SMALLEST_WEIGHT)).any())
    return Plan(
        of=ref(circuit),
        program=program,
        n_slots=n_slots,
        root=int(slots[0, -1]),
        segment_ends=uses.segment_ends,
        tile_leaf=uses.tile_leaf,
        tile_row=uses.tile_row,
        slot_of=slot_of,
        needs_exponents=bool(check.any() or (source >= PARABOLA).any() or tiny_weight),
    )


def _slots(circuit: Circuit, code: Instructions, trace: bool) -> tuple[Ids, int, Ids]:
    """Return (to, a, b) as slots, their number, and where each node's value stays in a trace."""
    from softlearn.kernels.circuit.schedule import assign_slots  # noqa: PLC0415 - loads Numba

    slot_of = np.full(circuit.n_nodes, -1, np.int32)
    if not trace:
        slots, n_slots = assign_slots(code.to, code.a, code.b, circuit.n_nodes)
        return slots, int(n_slots), slot_of
    nodes = np.unique(code.to)
    slot_of[nodes] = np.arange(nodes.size)
    read = [np.where(side < 0, 0, slot_of[side]) for side in (code.to, code.a, code.b)]
    return np.stack(read).astype(np.int32), nodes.size, slot_of


def _leaf_sizes(circuit: Circuit, tables: LeafTables, by_families: bool) -> LeafSizes:
    """Return where each leaf's value comes from and how small and large it may be."""
    n_levels = code_counts(circuit.schema)[circuit.leaf_column]
    # Each table ends in the 1.0 of "unobserved", which is a possible value too.
    positive = np.where(tables.entries > 0, tables.entries, np.inf)
    smallest = np.minimum.reduceat(positive, tables.offset)
    largest = np.maximum.reduceat(tables.entries, tables.offset)
    in_table = (smallest >= _SMALLEST_IN_TABLE) & (n_levels > 0) & (n_levels < WEIGHTED_CODE)
    other = np.where(tables.parabolic & (not by_families), PARABOLA, TILE)
    source = np.where(in_table, np.where(n_levels == 2, BINARY, TABLE), other)
    low = np.where(in_table, np.log2(np.where(in_table, smallest, 1.0)), -TILE_RANGE)
    high = np.where(in_table, np.log2(np.where(in_table, largest, 1.0)), TILE_RANGE)
    return LeafSizes(source.astype(np.uint8), low, high)


class _LeafUses(NamedTuple):
    """The leaves in the order in which the instructions read them."""

    leaf: Ids  # (uses,)                    the tile leaves of an instruction are one use
    start: Offsets  # (instructions + 1,)
    row: Offsets  # (uses,)                 row in the tile of its segment, if it is one
    tile_leaf: Ids  # (tile leaves,)
    tile_row: Ids  # (tile leaves,)
    segment_ends: Offsets  # (segments, 2)  in the instructions and in the tile leaves

    @staticmethod
    def of(runs: LeafRuns, run: Offsets, source: Kinds) -> _LeafUses:
        """Lay out the runs' leaves, and cut the instructions into segments of full tiles."""
        length = np.append(np.diff(runs.start), 0)[run]
        start = np.concatenate([[0], np.cumsum(length)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], length)
        leaf = runs.leaf[np.repeat(np.append(runs.start[:-1], 0)[run], length) + within]
        instruction = np.repeat(np.arange(run.size), length)
        is_tile = source[leaf] == TILE
        segment_ends = _segment_ends(np.concatenate([[0], np.cumsum(is_tile)])[start])
        # The first tile leaf of an instruction stands for all of them: one row of the tile.
        first = is_tile & (np.diff(np.where(is_tile, instruction, -1), prepend=-1) != 0)
        row_of = np.cumsum(first) - 1
        segment = np.searchsorted(segment_ends[:, 0], instruction, side="right")
        before = np.concatenate(
            [[0], np.cumsum(np.bincount(segment[first], minlength=len(segment_ends)))]
        )
        row = row_of - before[segment]
        kept = first | ~is_tile
        n_kept = np.concatenate([[0], np.cumsum(kept)])
        return _LeafUses(
            leaf[kept],
            n_kept[start],
            row[kept],
            leaf[is_tile],
            row[is_tile].astype(np.int32),
            segment_ends,
        )


def _segment_ends(tiles_before: Offsets) -> Offsets:
    """Return where segments end, given the tile leaves before each instruction and in all."""
    ends, done = [], 0
    while done < tiles_before.size - 1:
        room = tiles_before[done] + TILE_LEAVES
        most = int(np.searchsorted(tiles_before, room, side="right")) - 1
        done = max(most, done + 1)
        ends.append((done, int(tiles_before[done])))
    return np.array(ends, dtype=np.int64)
