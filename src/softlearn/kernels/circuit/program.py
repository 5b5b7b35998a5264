"""The arrays of a compiled circuit, and their meaning."""

from __future__ import annotations

from typing import Final, NamedTuple

from softlearn.arrays import Floats, Ids, Kinds, Offsets

# Instructions. `a` and `b` are slots that are read, `to` is the slot that is written; it may be
# one of them, since all instructions work row by row.
LEAVES_SET: Final = 0  # to = product of leaves
LEAVES_MULTIPLY: Final = 1  # to = a * product of leaves
MULTIPLY: Final = 2  # to = a * b
COMBINE: Final = 3  # to = weight_a * a + weight_b * b
SCALE: Final = 4  # to = weight_a * a
DENSE: Final = 5  # a block of sums from `to` on, of all slots from `a` on; `b` is its number

# Where the value of a leaf comes from.
BINARY: Final = 0  # a choice of two probabilities
TABLE: Final = 1  # a table of probabilities
PARABOLA: Final = 2  # a log-density that is a parabola in the number, all of a run in one
TILE: Final = 3  # computed beforehand by the leaves' families, all of a run in one

# The evidence of the rows of one block about a discrete column.
OBSERVED: Final = 0  # a level in every row
PARTLY: Final = 1  # a level in some rows
UNOBSERVED: Final = 2  # nothing in any row
WEIGHTED: Final = 3  # a factor for each level in some rows

# Binary exponents. Values in a slot without exponents of its own, and mantissas, stay within
# 2**±SAFE after a check; a product may go on until it could leave 2**±REACH (float64 ends at
# 2**±1022). A leaf stays within 2**±LEAF_REACH; parabolas and tiles without exponents within
# 2**±TILE_RANGE.
SAFE: Final = 400
REACH: Final = 1000
LEAF_REACH: Final = 300
TILE_RANGE: Final = 300

SMALLEST_WEIGHT: Final = 2.0**-600  # a smaller weight joins its exponent to the row's
WEIGHTED_CODE: Final = 255  # the code of a row whose factors stand in Batch.set_factors


class Program(NamedTuple):
    """Instructions over slots; a block of rows runs through them from first to last."""

    op: Kinds  # (instructions,)
    to: Offsets  # (instructions,)
    a: Offsets  # (instructions,)
    b: Offsets  # (instructions,)
    weight_a: Floats  # (instructions,)
    weight_b: Floats  # (instructions,)
    leaf_from: Offsets  # (instructions,)   leaves of the instruction: leaf_from:leaf_to
    leaf_to: Offsets  # (instructions,)
    check: Kinds  # (instructions,)   1: bring `to` back into the safe range afterwards
    leaf_source: Kinds  # (leaf uses,)       BINARY, TABLE, PARABOLA or TILE
    leaf_place: Ids  # (leaf uses,)       row of the codes, the values or the tile
    leaf_offset: Offsets  # (leaf uses,)       where its numbers start in `table`
    leaf_check: Kinds  # (leaf uses,)       1: bring `to` back into the safe range before it
    table: Floats  # probabilities and a 1.0 for "unobserved"; peak, centre and sharpness
    dense: Offsets  # (blocks, 4)        first edge, number of sums and of children, tiny weights
    weight: Floats  # (edges,)           of dense blocks
    add_dense: int  # the address of what adds them up, 0 if there are none


class Batch(NamedTuple):
    """Evidence of many rows, as the kernels read it."""

    values: Floats  # (columns, rows)       code or number, NaN = not known
    set_start: Offsets  # (columns,)        where a column's factors start, -1 = it has none
    set_factors: Floats  # factors of each level, row after row
    discrete: Ids  # positions of the columns that have codes
    n_levels: Ids  # (discrete columns,)


class Rows(NamedTuple):
    """The evidence of one block of rows about the discrete columns.

    `state` is that of all rows that were read ahead.
    """

    codes: Kinds  # (discrete columns, block)   the level; n_levels = unobserved
    state: Kinds  # (discrete columns,)
    level_start: Offsets  # (discrete columns,)  where Batch.set_factors begin for this block
    misfit: Kinds  # (1,)                        1 once a number was met that is no level's code
    ahead: Kinds  # (discrete columns, rows)    codes of this block and of those that follow
    ahead_from: Offsets  # (1,)                 the first of these rows


class Values(NamedTuple):
    """The slots of one block: mantissas, and exponents for the slots that need them."""

    mantissa: Floats  # (slots and more, block)  in a trace: flows of nodes with many parents
    bits: Offsets  # the same memory as int64
    exponent: Floats  # (slots, block)      whole numbers; floats, as a log may reach 1e308
    scaled: Kinds  # (slots,)            1 if the exponents count


class Tiles(NamedTuple):
    """Leaf values computed by families for one block: a row for the leaves of each instruction."""

    mantissa: Floats  # (tile rows, block)
    exponent: Floats  # (tile rows, block)
    scaled: Kinds  # (tile rows,)


class Scratch(NamedTuple):
    """Working memory for one block."""

    power: Floats  # (2, block)
    top: Floats  # (block,)


class Block(NamedTuple):
    """All that a thread needs to evaluate one block of rows after another."""

    rows: Rows
    tiles: Tiles
    values: Values
    scratch: Scratch


class Graph(NamedTuple):
    """A circuit's nodes and edges with their slots in a trace, for passes that go down."""

    is_sum: Kinds  # (nodes,)
    edge_start: Offsets  # (nodes + 1,)
    child: Ids  # (edges,)
    weight: Floats  # (edges,)
    slot_of: Ids  # (nodes,)              -1 for a leaf that is multiplied straight into products
    flow_of: Ids  # (nodes,)              where its flow goes; another slot if it has many parents
    leaf_column: Ids  # (leaves,)
    leaf_offset: Offsets  # (leaves,)     where its probabilities start in `table`
    table: Floats  # probabilities of discrete leaves
    n_levels: Ids  # (columns,)           0 for a continuous column
    dense: Offsets  # (blocks, 4)         as in Program
    dense_sum: Ids  # (nodes,)            position in a dense block, -1 elsewhere
    dense_block: Ids  # (nodes,)          its number
    spread_block: int  # the address of what passes their flow down, 0 if there are none


class ColumnReach(NamedTuple):
    """The slots whose flow reaches the leaves of each column, grouped by leaf."""

    start: Offsets  # (columns + 1,)  the places of column i: start[i]:start[i + 1]
    leaf: Ids  # (places,)
    slot: Ids  # (places,)            where the flow stands in a trace


class DrawRoom(NamedTuple):
    """Working memory for some draws, row by row: a draw reaches columns in any order."""

    stack: Ids  # (nodes + 1,)
    row: Offsets  # (draws,)  the rows of the batch that they belong to
    drawn: Floats  # (draws, columns or more)
    leaf: Ids  # (draws, columns or more)  of continuous columns


class LeafReach(NamedTuple):
    """Where the flow of each leaf is in a trace, and which statistics are added up."""

    start: Offsets  # (leaves + 1,)  the slots of leaf i: slot[start[i]:start[i + 1]]
    slot: Ids  # (places that rows reach leaves in,)
    coding: Ids  # (leaves,)       row of the codes; -1: numbers, of which moments are taken
    n_codes: Ids  # (leaves,)
    code_start: Offsets  # (leaves,)   where its codes begin in `LeafTotals.codes`
    centre: Floats  # (leaves,)       what the moments of numbers are measured from
    by_factors: Kinds  # (leaves,)    1 if the batch may have a factor for each of its codes
    rest_start: Offsets  # (codings,)  where a coding's codes begin in `is_rest`, -1 for none
    is_rest: Kinds  # 1 for codes that have a score, whose pairs of rows count


class LeafTotals(NamedTuple):
    """Weighted sums over rows, by leaf."""

    codes: Floats  # the weight of each code of each leaf
    weight: Floats  # (leaves,)  of the numbers, or of codes with a score
    pairs: Floats  # (leaves,)  (sum of weights)**2 - sum of squared weights, of the same
    offset: Floats  # (leaves,)  mean of the numbers, from the centre
    scatter: Floats  # (leaves,)  sum of squared distances from their mean
