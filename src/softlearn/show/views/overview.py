"""An overview of a model: its size and its columns."""

from __future__ import annotations

from softlearn.model import Model
from softlearn.show.views.values import Json
from softlearn.table import Column


def overview(model: Model) -> Json:
    """Return the size of a model, and what each column is and holds."""
    circuit = model.circuit
    return {
        "size": {
            "columns": len(model.schema),
            "nodes": circuit.n_nodes,
            "edges": circuit.n_edges,
            "parameters": circuit.n_parameters,
            "depth": circuit.depth,
        },
        "columns": [_column(column) for column in model.schema],
    }


def _column(column: Column) -> Json:
    return {
        "name": column.name,
        "kind": column.kind,
        "levels": list(column.levels) if column.is_discrete else None,
        "missing_modelled": column.missing == "modelled",
        "holds": column.in_words,
    }
