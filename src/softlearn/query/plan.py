"""Combine a circuit's compiled structure with its parameters: a program for blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from softlearn.arrays import Bools, Floats, Ids, Kinds, Offsets
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
from softlearn.query.dense import NO_BLOCKS, DenseBlocks
from softlearn.query.leaves import LeafTables, leaf_tables
from softlearn.query.shape import Shape, shape_for

# A table holds probabilities from here up; smaller ones take the path with exponents.
_SMALLEST_IN_TABLE = 2.0**-LEAF_REACH


@dataclass(frozen=True, eq=False)
class Plan:
    """A compiled circuit: the shape of its structure, and its numbers.

    Attributes
    ----------
    shape
        The compiled structure, shared by all circuits with this structure.
    program
        The shape's instructions with the circuit's weights, tables and checks.
    tables
        The leaves as kernels read them.
    needs_exponents
        Whether any row can leave the range of plain float64.
    """

    of: ReferenceType[Circuit]  # weak, or the cache of plans would keep every circuit alive
    shape: Shape
    program: Program
    tables: LeafTables
    needs_exponents: bool

    @property
    def circuit(self) -> Circuit:
        """The circuit, which users of a plan must keep alive."""
        circuit = self.of()
        assert circuit is not None
        return circuit

    @cached_property
    def graph(self) -> Graph:
        """The circuit for kernels of downward passes."""
        slots = (self.shape.slot_of, self.shape.flow_of)
        return graph_of(self.circuit, slots, self.tables, self.shape.dense)


def dense_table(circuit: Circuit, dense: DenseBlocks) -> Offsets:
    """Return the blocks of sums as kernels read them, (blocks, 4)."""
    tiny = (circuit.weight > 0.0) & (circuit.weight < SMALLEST_WEIGHT)
    before = np.concatenate([[0], np.cumsum(tiny)])
    n_edges = dense.n_sums * dense.n_children
    has_tiny = before[dense.first_edge + n_edges] > before[dense.first_edge]
    return np.stack([dense.first_edge, dense.n_sums, dense.n_children, has_tiny], axis=1)


def graph_of(
    circuit: Circuit,
    slots: tuple[Ids, Ids],
    tables: LeafTables | None = None,
    dense: DenseBlocks | None = None,
) -> Graph:
    """Return a circuit with the slots of its nodes and of their flows, for downward passes."""
    tables = tables or leaf_tables(circuit)
    dense = dense or NO_BLOCKS
    return Graph(
        (circuit.kind == SUM).astype(np.uint8),
        circuit.edge_start,
        circuit.child,
        circuit.weight,
        *slots,
        circuit.leaf_column,
        tables.offset,
        tables.entries,
        np.array([column.n_levels for column in circuit.schema.columns], np.int32),
        dense_table(circuit, dense),
        *dense.by_node(circuit.n_nodes),
        _address_of_spreading() if dense.n else 0,
    )


class Style(NamedTuple):
    """The kinds of plans; each circuit has at most one plan of each kind."""

    trace: bool  # every inner node keeps its value, for passes that go back down
    by_families: bool  # families answer for all continuous leaves


_PLANS: WeakKeyDictionary[Circuit, dict[Style, Plan]] = WeakKeyDictionary()


def plan_for(circuit: Circuit, *, trace: bool = False, by_families: bool = False) -> Plan:
    """Return the circuit's plan, made on first use from the shape of its structure.

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
        known[style] = _filled(circuit, style)
    return known[style]


class _LeafSizes(NamedTuple):
    """The source and the range of each leaf's values."""

    source: Kinds  # (leaves,) BINARY, TABLE, PARABOLA or TILE
    low: Floats  # (leaves,)  log2 of the smallest value that is not zero
    high: Floats  # (leaves,)  log2 of the largest value


def _filled(circuit: Circuit, style: Style) -> Plan:
    tables = leaf_tables(circuit)
    sizes = _leaf_sizes(circuit, tables, style.by_families)
    shape = shape_for(circuit.structure, sizes.source, trace=style.trace)
    code, uses = shape.code, shape.uses
    with_fixed = np.append(circuit.weight, [0.0, 1.0])  # where ZERO and ONE point
    weights = (with_fixed[code.edge_a], with_fixed[code.edge_b])
    blocks = (dense_table(circuit, shape.dense), circuit.weight)
    checks = _checks(shape, weights, sizes, circuit.n_nodes, blocks)
    program = Program(
        op=code.op,
        to=shape.slots[0],
        a=shape.slots[1],
        b=shape.slots[2],
        weight_a=weights[0],
        weight_b=weights[1],
        leaf_from=uses.start[:-1],
        leaf_to=uses.start[1:],
        check=checks[0],
        leaf_source=shape.use_source,
        leaf_place=shape.use_place,
        leaf_offset=shape.use_offset,
        leaf_check=checks[1],
        table=tables.entries,
        dense=blocks[0],
        weight=blocks[1],
        add_dense=_address_of_adding() if shape.dense.n else 0,
    )
    tiny_weight = ((circuit.weight > 0) & (circuit.weight < SMALLEST_WEIGHT)).any()
    may_leave = checks[0].any() or checks[1].any() or (shape.use_source >= PARABOLA).any()
    return Plan(ref(circuit), shape, program, tables, bool(may_leave or tiny_weight))


def _address_of_adding() -> int:
    from softlearn.kernels.circuit.by_address import ADD_DENSE  # noqa: PLC0415 - loads Numba

    return ADD_DENSE.address


def _address_of_spreading() -> int:
    from softlearn.kernels.circuit.by_address import SPREAD_BLOCK  # noqa: PLC0415 - loads Numba

    return SPREAD_BLOCK.address


def _checks(
    shape: Shape,
    weights: tuple[Floats, Floats],
    sizes: _LeafSizes,
    n_nodes: int,
    blocks: tuple[Offsets, Floats],
) -> tuple[Kinds, Kinds]:
    """Return the instructions after which, and leaves before which, values are renormalised."""
    from softlearn.kernels.circuit.schedule import place_checks  # noqa: PLC0415 - loads Numba

    code, uses, counts = shape.code, shape.uses, shape.use_counts
    low = np.where(counts, sizes.low[uses.leaf], 0.0)
    high = np.where(counts, sizes.high[uses.leaf], 0.0)
    of_nodes = (code.op, code.to, code.a, code.b, *weights)
    of_leaves = (uses.start, low, high)
    return place_checks(*of_nodes, *of_leaves, shape.final, n_nodes, *blocks)


def _leaf_sizes(circuit: Circuit, tables: LeafTables, by_families: bool) -> _LeafSizes:
    """Return where each leaf's value comes from and how small and large it may be."""
    n_levels = code_counts(circuit.schema)[circuit.leaf_column]
    # Each table ends in the 1.0 of "unobserved", which is a possible value too.
    positive = np.where(tables.entries > 0, tables.entries, np.inf)
    smallest = np.minimum.reduceat(positive, tables.offset)
    largest = np.maximum.reduceat(tables.entries, tables.offset)
    in_table: Bools = (smallest >= _SMALLEST_IN_TABLE) & (n_levels > 0) & (n_levels < WEIGHTED_CODE)
    other = np.where(tables.parabolic & (not by_families), PARABOLA, TILE)
    source = np.where(in_table, np.where(n_levels == 2, BINARY, TABLE), other)
    low = np.where(in_table, np.log2(np.where(in_table, smallest, 1.0)), -TILE_RANGE)
    high = np.where(in_table, np.log2(np.where(in_table, largest, 1.0)), TILE_RANGE)
    return _LeafSizes(source.astype(np.uint8), low, high)
