"""Schemas of tables, and the conversion of frames to floats and back."""

from softlearn.table.append import append_column
from softlearn.table.column import Column
from softlearn.table.decode import decode, fill
from softlearn.table.encode import encode, unknown_cells
from softlearn.table.find_scale import Choices, find_scale
from softlearn.table.infer import infer_schema
from softlearn.table.numbers import numbers_like
from softlearn.table.scale import Scale
from softlearn.table.schema import Schema
from softlearn.table.value import decode_value, encode_value

__all__ = [
    "Choices",
    "Column",
    "Scale",
    "Schema",
    "append_column",
    "decode",
    "decode_value",
    "encode",
    "encode_value",
    "fill",
    "find_scale",
    "infer_schema",
    "numbers_like",
    "unknown_cells",
]
