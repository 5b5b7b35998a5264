"""The arrays that a compiled circuit consists of, and what each of them means."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import AnyArray, Floats, Ids, Kinds, Offsets

# Instructions. `a` and `b` are slots that are read, `to` is the slot that is written; it may be
# one of them, since all instructions work row by row.
LEAVES_SET: Final = 0  # to = product of leaves
LEAVES_MULTIPLY: Final = 1  # to = a * product of leaves
MULTIPLY: Final = 2  # to = a * b
COMBINE: Final = 3  # to = weight_a * a + weight_b * b
SCALE: Final = 4  # to = weight_a * a
CHECK: Final = 5  # bring `to` back into the safe range, where a row has left it

# Where the value of a leaf comes from.
BINARY: Final = 0  # two probabilities, evidence as a pair of factors
TABLE: Final = 1  # a table of probabilities, evidence as a code
TILE: Final = 2  # computed beforehand by the leaf's family

# What the rows of one block know about a discrete column.
OBSERVED: Final = 0  # a level in every row
PARTLY: Final = 1  # a level in some rows
UNOBSERVED: Final = 2  # nothing in any row
WEIGHTED: Final = 3  # a factor for each level in some rows

# Binary exponents. Values in a slot without exponents of its own, and mantissas, stay within
# 2**±SAFE after a check; a product may go on until it could leave 2**±REACH (float64 ends at
# 2**±1022); a leaf tile without exponents stays within 2**±TILE_RANGE.
SAFE: Final = 400
REACH: Final = 1000
TILE_RANGE: Final = 100

WEIGHTED_CODE: Final = 65535  # the code of a row whose factors stand in `level_factors`


class Program(NamedTuple):
    """Instructions over slots; a block of rows runs through them from first to last."""

    op: Kinds  # (instructions,)
    to: Ids  # (instructions,)
    a: Ids  # (instructions,)
    b: Ids  # (instructions,)
    weight_a: Floats  # (instructions,)
    weight_b: Floats  # (instructions,)
    leaf_from: Ids  # (instructions,)   leaves of the instruction: leaf_from:leaf_to
    leaf_to: Ids  # (instructions,)
    leaf_source: Kinds  # (leaf uses,)       BINARY, TABLE or TILE
    leaf_place: Ids  # (leaf uses,)       row of the factors, codes or tile
    leaf_offset: Offsets  # (leaf uses,)       where its probabilities start in `table`
    table: Floats  # probabilities of discrete leaves, each followed by 1.0 for "unobserved"


class Batch(NamedTuple):
    """Evidence of many rows, as the kernels read it."""

    values: Floats  # (columns, rows)       code or number, NaN = not known
    set_start: Offsets  # (columns,)        where a column's factors start, -1 = it has none
    set_factors: Floats  # factors of each level, row after row
    binary: Ids  # positions of the columns with two levels
    table: Ids  # positions of the columns with more


class Rows(NamedTuple):
    """What one block of rows knows about the discrete columns."""

    factors: Floats  # (2, binary columns, block)  factor of level 0 and of level 1
    binary_state: Kinds  # (binary columns,)
    codes: AnyArray  # (table columns, block) uint16; n_levels = unobserved
    table_state: Kinds  # (table columns,)
    level_factors: Floats  # Batch.set_factors, for rows with WEIGHTED_CODE
    level_start: Offsets  # (table columns,)    where a column's factors start for this block
    n_levels: Ids  # (table columns,)


class Values(NamedTuple):
    """The slots of one block: mantissas, and exponents for the slots that need them."""

    mantissa: Floats  # (slots, block)
    bits: Offsets  # the same memory as int64
    exponent: Offsets  # (slots, block)
    scaled: Kinds  # (slots,)            1 if the exponents count


class Tiles(NamedTuple):
    """Leaf values that a family computed for one block."""

    mantissa: Floats  # (tile leaves, block)
    exponent: Offsets  # (tile leaves, block)
    scaled: Kinds  # (tile leaves,)


class Scratch(NamedTuple):
    """Working memory for one block."""

    bits: Offsets  # (2, block)
    power: Floats  # the same memory as float64
    top: Offsets  # (block,)


class Graph(NamedTuple):
    """A circuit's nodes and edges, as in ``softlearn.circuit.Circuit``."""

    is_sum: Kinds  # (nodes,)
    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)
    owner: Ids  # (edges,)
    weight: Floats  # (edges,)
    fused: Kinds  # (edges,)            1 if a leaf is multiplied straight into its product


class LeafTraits(NamedTuple):
    """Where the value of each leaf comes from, and how small and large it may be."""

    source: Kinds  # (leaves,)           BINARY, TABLE or TILE
    place: Ids  # (leaves,)              row of the factors or codes
    offset: Offsets  # (leaves,)         where its probabilities start in the table
    low: Floats  # (leaves,)             log2 of the smallest value that is not zero
    high: Floats  # (leaves,)            log2 of the largest value


class Draft(NamedTuple):
    """A program while it is being written."""

    code: Ids  # (room, 6)               op, to, a, b, leaf_from, leaf_to
    weight: Floats  # (room, 2)
    use: Ids  # (leaf uses,)             the leaf
    place: Ids  # (leaf uses,)           where its value is found
    segment: Offsets  # (room, 2)        end of each segment: instructions, tile leaves
    tile: Ids  # (tile uses,)            the leaf of each tile row, segment after segment
    slot: Ids  # (nodes,)                where a node's value is, -1 before and after
    free: Ids  # (slots,)                slots to take again
    low: Floats  # (nodes,)              log2 bounds of each node's value, as in LeafTraits
    high: Floats  # (nodes,)
    count: Offsets  # (7,)               see softlearn.kernels.schedule
