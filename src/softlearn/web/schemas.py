"""The JSON schemas of all answers, as OpenAPI shows them and tests check them."""

from __future__ import annotations

from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

TEXT: Schema = {"type": "string"}
TRUTH: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1.000001}
MAYBE_SHARE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1.000001}
CELL: Schema = {"type": ["string", "number", "boolean", "null"]}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """Return an object with exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


AXIS = _object(start=NUMBER, stop=NUMBER, cells=COUNT)
CONDITION = _object(
    column=TEXT, text=TEXT, levels=_maybe(_list(CELL)), low=MAYBE_NUMBER, high=MAYBE_NUMBER
)
_KNOWN = {"given": TEXT, "conditions": _list(CONDITION)}

MODEL = _object(
    title=TEXT,
    n_rows={"type": ["integer", "null"]},
    size=_object(columns=COUNT, nodes=COUNT, edges=COUNT, parameters=COUNT, depth=COUNT),
    columns=_list(
        _object(
            name=TEXT, kind=TEXT, levels=_maybe(_list(CELL)), missing_modelled=TRUTH, holds=TEXT
        )
    ),
)

_LEVELS = _object(name=TEXT, probabilities=_list(SHARE))
_POINT = _object(name=TEXT, value=CELL, at=MAYBE_NUMBER)
_NUMBERS = _object(
    name=TEXT,
    axis=AXIS,
    shares=_list(SHARE),
    below=SHARE,
    above=SHARE,
    before=_maybe(_list(SHARE)),
    quantiles=_list(MAYBE_NUMBER),
    missing=SHARE,
    mean=MAYBE_NUMBER,
    deviation=MAYBE_NUMBER,
)
POSTERIOR = _object(
    **_KNOWN,
    evidence=_object(log=MAYBE_NUMBER, probability=MAYBE_SHARE, density=MAYBE_NUMBER, bits=NUMBER),
    columns=_list(
        _object(
            ("mode", "probability", "mean", "deviation"),
            name=TEXT,
            bits=MAYBE_NUMBER,
            known=TRUTH,
            mode=CELL,
            probability=SHARE,
            mean=MAYBE_NUMBER,
            deviation=MAYBE_NUMBER,
        )
    ),
    distributions=_list({"anyOf": [_LEVELS, _NUMBERS, _POINT]}),
)
INFORMATIVE = _object(
    **_KNOWN,
    target=TEXT,
    entropy_bits=NUMBER,
    columns=_list(_object(name=TEXT, bits=NUMBER)),
)
SAMPLE = _object(**_KNOWN, seed=COUNT, columns=_list(TEXT), rows=_list(_list(CELL)))

_NODE = {
    "node": COUNT,
    "kind": {"enum": ["sum", "product", "leaf"]},
    "mass": SHARE,
    "mass_now": SHARE,
    "columns": _list(TEXT),
    "n_columns": COUNT,
    "n_children": COUNT,
}
STRUCTURE = _object(
    **_KNOWN,
    node=_object(**_NODE),
    children=_list(_object(**_NODE, share=MAYBE_SHARE, share_now=MAYBE_SHARE, words=_list(TEXT))),
    start=COUNT,
    n_children=COUNT,
    columns_alone=_list(TEXT),
)

_ROW = {"row": COUNT, "log_density": MAYBE_NUMBER, "cells": _list(CELL)}
ROWS = _object(
    n_rows=COUNT, start=COUNT, order=TEXT, columns=_list(TEXT), rows=_list(_object(**_ROW))
)
ROW = _object(
    **_ROW,
    rank=COUNT,
    columns=_list(
        _object(
            name=TEXT,
            value=CELL,
            condition={"type": ["string", "null"]},
            bits=MAYBE_NUMBER,
            usual_bits=MAYBE_NUMBER,
            filled=CELL,
            expected=CELL,
            probability=MAYBE_SHARE,
            low=CELL,
            high=CELL,
        )
    ),
    kinds=_list(MAYBE_SHARE),
)
MEMBERSHIPS = _object(
    kinds=_list(_object(share=SHARE, words=_list(TEXT))),
    rows=_list(_object(row=COUNT, kinds=_list(MAYBE_SHARE))),
)
FIT = _object(
    n_rows=COUNT,
    impossible_rows=COUNT,
    mean_log_density=MAYBE_NUMBER,
    drawn_mean_log_density=NUMBER,
    columns_alone_mean_log_density=MAYBE_NUMBER,
    axis=AXIS,
    table=_list(SHARE),
    model=_list(SHARE),
    columns=_list(
        _object(
            name=TEXT,
            axis=_maybe(AXIS),
            table=_list(SHARE),
            model=_list(SHARE),
            distance=SHARE,
            missing=SHARE,
        )
    ),
)
ERROR = _object(error=_object(kind=TEXT, message=TEXT))
