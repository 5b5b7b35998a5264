"""The kernels for blocks of sums, compiled on first use: most circuits have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from softlearn.arrays import AnyArray, Floats, Offsets
from softlearn.kernels.by_address import ByAddress
from softlearn.kernels.circuit.dense import add_dense
from softlearn.kernels.circuit.dense_down import spread_block
from softlearn.kernels.circuit.program import Graph, Scratch, Values


def _of_circuit(array: AnyArray) -> AnyArray:
    """Return the array as circuits have it: nobody may write to it."""
    array.flags.writeable = False
    return array


_REAL, _ROWS = np.zeros(0), np.zeros((0, 0))
_WHOLE, _SHORT, _BYTE = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint8)
_WHOLE_ROWS = np.zeros((0, 0), np.int64)
_VALUES = Values(_ROWS, _WHOLE_ROWS, _ROWS, _BYTE)
_GRAPH = Graph(
    is_sum=_BYTE,
    edge_start=_of_circuit(np.zeros(1, np.int64)),
    child=_of_circuit(np.zeros(0, np.int32)),
    weight=_of_circuit(np.zeros(0)),
    slot_of=_SHORT,
    flow_of=_SHORT,
    leaf_column=_of_circuit(np.zeros(0, np.int32)),
    leaf_offset=_WHOLE,
    table=_REAL,
    n_levels=_SHORT,
    dense=_WHOLE_ROWS,
    dense_sum=_SHORT,
    dense_block=_SHORT,
    spread_block=0,
)

ADD_DENSE = ByAddress(
    add_dense, _WHOLE, _of_circuit(np.zeros(0)), (0, 0, 0), _VALUES, Scratch(_ROWS, _REAL)
)
SPREAD_BLOCK = ByAddress(spread_block, _GRAPH, 0, _VALUES, _REAL, _REAL)

_Add: TypeAlias = Callable[[int, Offsets, Floats, tuple[int, int, int], Values, Scratch], int]
_Spread: TypeAlias = Callable[[int, Graph, int, Values, Floats, Floats], int]
run_add_dense = cast("_Add", ADD_DENSE.caller())
run_spread_block = cast("_Spread", SPREAD_BLOCK.caller())
