"""What the user brings, made numeric and explicit: schemas, and frames to floats and back."""

from softlearn.table.column import Column
from softlearn.table.decode import decode, fill
from softlearn.table.encode import encode
from softlearn.table.infer import infer_schema
from softlearn.table.schema import Schema
from softlearn.table.value import decode_value, encode_value

__all__ = [
    "Column",
    "Schema",
    "decode",
    "decode_value",
    "encode",
    "encode_value",
    "fill",
    "infer_schema",
]
