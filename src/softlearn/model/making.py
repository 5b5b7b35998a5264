"""Make the circuit of a model from a hand-written one, with the caller's schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TypeAlias

from softlearn.circuit import Circuit, Node, flatten, validate
from softlearn.errors import SchemaError
from softlearn.table import Column, Schema

SchemaLike: TypeAlias = Schema | Mapping[str, str | Column]


def written_by_hand(root: Node, schema: SchemaLike | None) -> Circuit:
    """Flatten a circuit; if nobody says which frame to give back, it is pandas, or else NumPy."""
    if isinstance(schema, Schema):
        return flatten(root, schema)
    circuit = flatten(root)
    frame = "pandas" if find_spec("pandas") is not None else "numpy"
    wanted = replace(circuit.schema.override(schema or {}), frame=frame)
    return circuit if wanted == circuit.schema else flatten(root, wanted)


def with_schema(circuit: Circuit, schema: SchemaLike) -> Circuit:
    """Return a flat circuit whose columns keep their names and levels, but change kind or dtype."""
    if not isinstance(schema, Schema):
        schema = circuit.schema.override(schema)
    given, known = (
        [(column.name, column.levels) for column in one] for one in (schema, circuit.schema)
    )
    if given != known:
        raise SchemaError(
            "the schema's columns differ from the circuit's in name, order or levels; change "
            "model.schema.override(...), or write the circuit anew"
        )
    changed = replace(circuit, schema=schema)
    validate(changed)
    return changed
