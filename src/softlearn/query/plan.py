"""Compile a circuit, once, into a program that evaluates blocks of rows in cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
from softlearn.circuit import LEAF, SUM, Circuit
from softlearn.kernels.program import (
    BINARY,
    CHECK,
    SAFE,
    TABLE,
    TILE,
    TILE_RANGE,
    WEIGHTED_CODE,
    Draft,
    Graph,
    LeafTraits,
    Program,
)
from softlearn.leaf import FAMILIES
from softlearn.query.leaves import discrete_tables

TILE_LEAVES = 256  # leaves that families compute at a time: 1 MB of values and exponents a block

# A table holds probabilities from here up; smaller ones take the path with exponents.
_SMALLEST_IN_TABLE = 2.0**-600


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

    circuit: Circuit
    program: Program
    n_slots: int
    root: int
    segment_ends: Offsets
    tile_leaf: Ids
    slot_of: Ids
    needs_exponents: bool

    @cached_property
    def columns(self) -> DiscreteColumns:
        """Where the kernels keep what a block knows about discrete columns."""
        return DiscreteColumns.of(self.circuit)


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
    from softlearn.kernels.schedule import fold_order, write  # noqa: PLC0415 - loads Numba

    graph = _graph(circuit)
    traits, table = _leaf_traits(circuit)
    slot_of = _trace_slots(circuit, graph) if trace else np.full(circuit.n_nodes, -1, np.int32)
    draft = _empty_draft(circuit, traits, -2 - slot_of)
    order = fold_order(graph)
    root = write(graph, traits, order, draft, not trace, TILE_LEAVES)
    program = _program(draft, traits, table)
    tiny_weight = bool(((circuit.weight > 0) & (circuit.weight < _SMALLEST_IN_TABLE)).any())
    return Plan(
        circuit=circuit,
        program=program,
        n_slots=int(slot_of.max()) + 1 if trace else int(draft.count[5]),
        root=int(root),
        segment_ends=draft.segment[: draft.count[3]].copy(),
        tile_leaf=draft.tile[: draft.count[2]].copy(),
        slot_of=slot_of,
        needs_exponents=bool((program.op == CHECK).any() or draft.count[2] > 0 or tiny_weight),
    )


def _graph(circuit: Circuit) -> Graph:
    owner = circuit.edge_owner
    is_sum = (circuit.kind == SUM).astype(np.uint8)
    fused = (circuit.kind[circuit.child] == LEAF) & (is_sum[owner] == 0)
    return Graph(
        is_sum, circuit.edge_start, circuit.child, owner, circuit.weight, fused.astype(np.uint8)
    )


def _trace_slots(circuit: Circuit, graph: Graph) -> Ids:
    """Number the nodes that have a value of their own: all but the fused leaves."""
    slotted = circuit.kind != LEAF
    slotted[circuit.child[graph.fused == 0]] = True
    slotted[circuit.root] = True
    slots = np.full(circuit.n_nodes, -1, np.int32)
    slots[slotted] = np.arange(np.count_nonzero(slotted))
    return slots


def _leaf_traits(circuit: Circuit) -> tuple[LeafTraits, Floats]:
    """Return where each leaf's value comes from, and the table of the discrete ones."""
    table, offset = discrete_tables(circuit)
    columns = DiscreteColumns.of(circuit)
    n_levels = np.array([column.n_levels for column in circuit.schema.columns])[circuit.leaf_column]
    discrete = np.array([family.discrete for family in FAMILIES])[circuit.leaf_family]
    smallest, largest = _extremes(table, offset, n_levels, discrete)
    in_table = discrete & (smallest >= _SMALLEST_IN_TABLE) & (n_levels < WEIGHTED_CODE)
    source: Kinds = np.where(in_table, np.where(n_levels == 2, BINARY, TABLE), TILE).astype(np.uint8)
    low = np.where(in_table, np.log2(np.where(in_table, smallest, 1.0)), -TILE_RANGE)
    high = np.where(in_table, np.log2(np.where(in_table, largest, 1.0)), TILE_RANGE)
    place = columns.place[circuit.leaf_column]
    return LeafTraits(source, place, offset, low, high), table


def _extremes(
    table: Floats, offset: Offsets, n_levels: Offsets, discrete: Bools
) -> tuple[Floats, Floats]:
    """Return the smallest probability above zero and the largest one of each discrete leaf."""
    smallest, largest = np.zeros(offset.size), np.zeros(offset.size)
    if discrete.any():
        leaves = np.flatnonzero(discrete)
        starts = offset[leaves]
        # Each leaf's table ends in a 1.0 for "unobserved", which is a possible value too.
        smallest[leaves] = np.minimum.reduceat(np.where(table > 0, table, np.inf), starts)
        largest[leaves] = np.maximum.reduceat(table, starts)
    return smallest, largest


def _empty_draft(circuit: Circuit, traits: LeafTraits, slot: Ids) -> Draft:
    # Each edge writes at most an instruction and a check, each node one more of both.
    room = 2 * (circuit.n_edges + circuit.n_nodes) + 2
    uses = circuit.n_edges + circuit.n_leaves
    return Draft(
        code=np.empty((room, 6), np.int32),
        weight=np.empty((room, 2)),
        use=np.empty(uses, np.int32),
        place=np.empty(uses, np.int32),
        segment=np.empty((uses // TILE_LEAVES + 2, 2), np.int64),
        tile=np.empty(uses if (traits.source == TILE).any() else 0, np.int32),
        slot=slot.astype(np.int32),
        free=np.empty(circuit.n_nodes + 1, np.int32),
        low=np.zeros(circuit.n_nodes),
        high=np.zeros(circuit.n_nodes),
        count=np.zeros(7, np.int64),
    )


def _program(draft: Draft, traits: LeafTraits, table: Floats) -> Program:
    n, uses = int(draft.count[0]), int(draft.count[1])
    code = draft.code[:n]
    leaf = draft.use[:uses]
    return Program(
        op=code[:, 0].astype(np.uint8),
        to=code[:, 1].copy(),
        a=code[:, 2].copy(),
        b=code[:, 3].copy(),
        weight_a=draft.weight[:n, 0].copy(),
        weight_b=draft.weight[:n, 1].copy(),
        leaf_from=code[:, 4].copy(),
        leaf_to=code[:, 5].copy(),
        leaf_source=traits.source[leaf],
        leaf_place=draft.place[:uses].copy(),
        leaf_offset=traits.offset[leaf],
        table=table,
    )
