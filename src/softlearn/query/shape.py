"""Compile the structure of a circuit: the order of evaluation, slots and segments, no numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from softlearn.arrays import Bools, Ids, Kinds, Offsets
from softlearn.circuit import Structure
from softlearn.kernels.circuit.program import (
    DENSE,
    PARABOLA,
    TILE,
    WEIGHTED_CODE,
    ColumnReach,
)
from softlearn.query.coding import code_counts
from softlearn.query.dense import DenseBlocks, dense_blocks
from softlearn.query.instructions import (
    Instructions,
    LeafRuns,
    fused_edges,
    instructions,
    leaf_runs,
)
from softlearn.query.leaves import table_offsets
from softlearn.table.schema import Schema

TILE_LEAVES = 256  # leaves that families compute at a time: 1 MB of values and exponents a block
_MOST_SHAPES = 8  # of one structure; parameters near the end of their range may need another one


@dataclass(frozen=True)
class DiscreteColumns:
    """The columns that kernels read as codes: levels or cells, at most as many as fit a byte."""

    position: Ids  # (coded columns,) in the schema
    n_levels: Ids  # (coded columns,)
    place: Ids  # (columns,) row in the codes, -1 if it has none

    @staticmethod
    def of(schema: Schema) -> DiscreteColumns:
        """Return the columns of levels or cells."""
        levels = code_counts(schema)
        position = np.flatnonzero((levels > 0) & (levels < WEIGHTED_CODE)).astype(np.int32)
        place = np.full(levels.size, -1, np.int32)
        place[position] = np.arange(position.size)
        return DiscreteColumns(position, levels[position].astype(np.int32), place)


class LeafUses(NamedTuple):
    """The leaves in the order in which the instructions read them."""

    leaf: Ids  # (uses,)                    the tile leaves of an instruction are one use
    start: Offsets  # (instructions + 1,)
    row: Offsets  # (uses,)                 row in the tile of its segment, if it is one
    tile_leaf: Ids  # (tile leaves,)
    tile_row: Ids  # (tile leaves,)
    segment_ends: Offsets  # (segments, 2)  in the instructions and in the tile leaves

    @staticmethod
    def of(runs: LeafRuns, run: Offsets, source: Kinds) -> LeafUses:
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
        return LeafUses(
            leaf[kept],
            n_kept[start],
            row[kept],
            leaf[is_tile],
            row[is_tile].astype(np.int32),
            segment_ends,
        )


@dataclass(frozen=True, eq=False)
class Shape:
    """A compiled structure: a program without its numbers.

    It depends on the structure, on where the values of leaves come from, and on whether every
    node keeps its value (a trace). Circuits with the same structure share it.

    Attributes
    ----------
    code
        The instructions, on nodes.
    slots
        (3, instructions): to, a and b of each instruction as slots.
    n_slots, root
        How many slots there are, and the one in which the root's value ends up.
    slot_of
        (nodes,) where each node's value stays, -1 if it has no slot; only in a trace.
    flow_of, n_flows
        (nodes,) the slot that gets the flow of each node, in a trace: its own, or one behind all
        others if several parents send to it; and how many of these there are.
    uses
        The leaves in the order in which the instructions read them.
    use_source, use_place, use_offset
        (uses,) where a leaf's value comes from, its row in the codes, the values or the tile, and
        where its numbers begin in the table.
    use_counts
        (uses,) False for a parabola that its instruction joins to the one before.
    dense
        Blocks of sums with the same children. With any, every node keeps a slot.
    columns
        The columns that kernels read as codes.
    reach
        Every leaf in every place where rows reach it, and the slot of their flow; in a trace.
    """

    code: Instructions
    slots: Offsets
    n_slots: int
    root: int
    slot_of: Ids
    flow_of: Ids
    n_flows: int
    uses: LeafUses
    use_source: Kinds
    use_place: Ids
    use_offset: Offsets
    use_counts: Bools
    dense: DenseBlocks
    columns: DiscreteColumns
    reach: ColumnReach

    @cached_property
    def final(self) -> Bools:
        """(instructions,) whether an instruction is the last one that writes its node."""
        return self.code.final


_SHAPES: WeakKeyDictionary[Structure, dict[tuple[bool, bytes], Shape]] = WeakKeyDictionary()


def shape_for(structure: Structure, source: Kinds, *, trace: bool) -> Shape:
    """Return the structure's shape, compiled on first use.

    Parameters
    ----------
    structure
        The structure; the shape lives as long as it does.
    source
        (leaves,) where the value of each leaf comes from: BINARY, TABLE, PARABOLA or TILE.
    trace
        Whether every inner node keeps its value, for passes that go back down.
    """
    known = _SHAPES.setdefault(structure, {})
    key = (trace, source.tobytes())
    if key not in known:
        if len(known) >= _MOST_SHAPES:
            known.pop(next(iter(known)), None)
        known[key] = _compile(structure, source, trace)
    return known[key]


def _compile(structure: Structure, source: Kinds, trace: bool) -> Shape:
    from softlearn.kernels.circuit.schedule import fold_order  # noqa: PLC0415 - loads Numba

    fused = fused_edges(structure)
    runs = leaf_runs(structure, source)
    order = fold_order(structure.edge_start, structure.child, fused)
    dense = dense_blocks(structure)
    code = instructions(structure, order, runs, dense)
    slots, n_slots, slot_of = _slots(structure, code, dense, trace)
    uses = LeafUses.of(runs, code.run, source)
    use_source, column = source[uses.leaf], structure.leaf_column[uses.leaf]
    columns = DiscreteColumns.of(structure.schema)
    choices = [use_source == TILE, use_source == PARABOLA]
    place = np.select(choices, [uses.row, column], columns.place[column])
    instruction = np.repeat(np.arange(code.op.size), np.diff(uses.start))
    after = (use_source[1:] == PARABOLA) & (use_source[:-1] == PARABOLA)
    after &= instruction[1:] == instruction[:-1]
    flow_of, n_flows = (
        _flow_slots(structure, fused, dense, slot_of, n_slots) if trace else (slot_of, 0)
    )
    return Shape(
        code=code,
        slots=slots,
        n_slots=n_slots,
        root=int(slots[0, -1]),
        slot_of=slot_of,
        flow_of=flow_of,
        n_flows=n_flows,
        uses=uses,
        use_source=use_source,
        use_place=place.astype(np.int32),
        use_offset=table_offsets(structure)[uses.leaf],
        use_counts=np.concatenate([[True], ~after])[: use_source.size],
        dense=dense,
        columns=columns,
        reach=_column_reach(structure, fused, slot_of, flow_of),
    )


def _flow_slots(
    structure: Structure, fused: Bools, dense: DenseBlocks, slot_of: Ids, n_slots: int
) -> tuple[Ids, int]:
    """Return the slot of the flow of each node, and how many additional slots that takes.

    A flow overwrites the node's value if that is not needed any more, because the only parent, or a
    block of all parents, has passed its flow down.
    """
    n_parents = np.bincount(structure.child[~fused], minlength=structure.n_nodes)
    own_block = np.zeros(structure.n_nodes, np.int64)
    own_block[dense.children()] = np.repeat(dense.n_sums, dense.n_children)
    shared = np.flatnonzero((n_parents > 1) & (n_parents != own_block) & (slot_of >= 0))
    flow_of = slot_of.copy()
    flow_of[shared] = n_slots + np.arange(shared.size)
    return flow_of, shared.size


def _column_reach(structure: Structure, fused: Bools, slot_of: Ids, flow_of: Ids) -> ColumnReach:
    """Return where rows reach leaves: in a slot of their own, and in those of products."""
    alone = np.flatnonzero(slot_of[: structure.n_leaves] >= 0)
    leaf = np.concatenate([alone, structure.child[fused]])
    owner = np.concatenate([alone, structure.edge_owner[fused]])
    order = np.lexsort((leaf, structure.leaf_column[leaf]))
    counts = np.bincount(structure.leaf_column[leaf], minlength=len(structure.schema))
    start = np.concatenate([[0], np.cumsum(counts)])
    return ColumnReach(start, leaf[order].astype(np.int32), flow_of[owner[order]])


def _slots(
    structure: Structure, code: Instructions, dense: DenseBlocks, trace: bool
) -> tuple[Offsets, int, Ids]:
    """Return (to, a, b) as slots, their number, and where each node's value stays in a trace."""
    from softlearn.kernels.circuit.schedule import assign_slots  # noqa: PLC0415 - loads Numba

    slot_of = np.full(structure.n_nodes, -1, np.int32)
    if not trace and not dense.n:
        slots, n_slots = assign_slots(code.to, code.a, code.b, structure.n_nodes)
        return slots, int(n_slots), slot_of
    nodes = np.union1d(code.to, dense.sums())
    slot_of[nodes] = np.arange(nodes.size)
    read = [np.where(side < 0, 0, slot_of[side]) for side in (code.to, code.a, code.b)]
    read[2] = np.where(code.op == DENSE, code.b, read[2])
    return np.stack(read).astype(np.int64), nodes.size, slot_of


def _segment_ends(tiles_before: Offsets) -> Offsets:
    """Return where segments end, given the tile leaves before each instruction and in all."""
    ends, done = [], 0
    while done < tiles_before.size - 1:
        room = tiles_before[done] + TILE_LEAVES
        most = int(np.searchsorted(tiles_before, room, side="right")) - 1
        done = max(most, done + 1)
        ends.append((done, int(tiles_before[done])))
    return np.array(ends, dtype=np.int64)
