"""Read the arguments of this package's functions: a model, and columns by name."""

from __future__ import annotations

from collections.abc import Sequence

from softlearn.errors import SchemaError, SoftlearnError
from softlearn.model import Model


def require_model(model: object) -> Model:
    """Return the model, or say what to pass instead."""
    if isinstance(model, Model):
        return model
    hint = "; pass its model_" if hasattr(model, "model_") else ""
    raise SoftlearnError(f"this needs a softlearn.Model, not {type(model).__name__}{hint}")


def positions_of(model: Model, columns: Sequence[str]) -> list[int]:
    """Return where the named columns stand; each may be named once."""
    if isinstance(columns, str):
        raise SchemaError(f"columns is a list of names: write [{columns!r}]")
    if not columns:
        raise SchemaError("name at least one column")
    repeated = [name for name in columns if list(columns).count(name) > 1]
    if repeated:
        raise SchemaError(f"column {repeated[0]!r} is named more than once")
    return [model.schema.index(name) for name in columns]
