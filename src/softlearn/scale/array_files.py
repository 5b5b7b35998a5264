"""Files of arrays, and of lists and named tuples of arrays, that are read by memory-mapping.

A file begins with the length of its header, which is JSON: the offset, dtype and shape of each
array, and the type that contains it, one of those below. Reading never executes code from a file.
"""

from __future__ import annotations

import json
import mmap
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.kernels.cluster.rows import RowData
from softlearn.kernels.grow.work import GrowTable
from softlearn.learn import Block
from softlearn.stats.buckets import CodedRows
from softlearn.stats.parts import Share
from softlearn.whole_files import whole_file

Head: TypeAlias = dict[str, Any]

_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Block, CodedRows, GrowTable, RowData, Share)
}
_LENGTH = 8  # bytes that store the length of the header
_ALIGNED = 64  # bytes; arrays begin at multiples of this


def write_arrays(path: Path, value: object) -> None:
    """Write a value to a file, which is complete or not there at all."""
    arrays: list[AnyArray] = []
    head = json.dumps(_described(value, arrays)).encode()
    with whole_file(path, durable=False) as unfinished, unfinished.open("wb") as file:
        file.write(len(head).to_bytes(_LENGTH, "little"))
        file.write(head)
        for array in arrays:
            file.write(bytes(_aligned(file.tell()) - file.tell()))
            file.write(array.data)


def read_arrays(path: Path) -> Any:  # noqa: ANN401 - whatever was written
    """Return the value in a file; changes to its memory-mapped arrays do not reach the file."""
    with path.open("rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    length = int.from_bytes(content[:_LENGTH], "little")
    head: Head = json.loads(bytes(content[_LENGTH : _LENGTH + length]))
    return _rebuilt(head, content[_aligned(_LENGTH + length) :])


def _described(value: object, arrays: list[AnyArray]) -> Head:
    """Return the header of a value, and append its arrays to the list."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        at = sum(_aligned(array.nbytes) for array in arrays)
        arrays.append(np.ascontiguousarray(value))
        return {"at": at, "dtype": value.dtype.str, "shape": value.shape}
    if type(value) is list:
        return {"list": [_described(own, arrays) for own in value]}
    kind = type(value).__name__
    if not isinstance(value, tuple) or _KINDS.get(kind) is not type(value):
        raise TypeError(f"a {kind} cannot be stored in a file; add the type to _KINDS")
    return {"kind": kind, "fields": [_described(own, arrays) for own in value]}


def _rebuilt(head: Head, content: memoryview) -> Any:  # noqa: ANN401
    if "list" in head:
        return [_rebuilt(own, content) for own in head["list"]]
    if "kind" in head:
        return _KINDS[head["kind"]](*(_rebuilt(own, content) for own in head["fields"]))
    shape = tuple(head["shape"])
    size = int(np.prod(shape, dtype=np.int64))
    if not size:
        return np.empty(shape, head["dtype"])
    return np.frombuffer(content, head["dtype"], size, head["at"]).reshape(shape)


def _aligned(n_bytes: int) -> int:
    return -(-n_bytes // _ALIGNED) * _ALIGNED
