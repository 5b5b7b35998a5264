"""Find a common storage for a column that two parts of a table store differently."""

from __future__ import annotations

from dataclasses import replace

from softlearn.errors import TableError
from softlearn.table.cells import Cells, mixed_zones
from softlearn.table.column import Level
from softlearn.table.content import NUMBERS
from softlearn.table.storage import form_of, remembered, storage_of
from softlearn.table.times import zone_of


def stored_alike(a: Cells, b: Cells) -> Cells:
    """Return a column whose storage holds the cells of both; its values are a's, and unused.

    A part without any observed cell takes the other's storage, unless it declares levels.
    """
    if storage_of(a.dtype) != storage_of(b.dtype):
        if not b.values.size:
            return a
        if not a.values.size:
            return b
        raise TableError(f"column {a.name!r} is stored as {a.dtype} and as {b.dtype}")
    if "empty" in (a.stored, b.stored):
        return b if a.stored == "empty" else a
    if a.stored == b.stored == "categorical":
        return replace(a, levels=_levels(a, b))
    numbers = {a.stored, b.stored}
    if a.stored != b.stored and not numbers <= {"integer", "numeric"}:
        raise TableError(f"column {a.name!r} holds {a.stored} and {b.stored} cells")
    stored = a.stored if a.stored == b.stored else "numeric"
    return replace(a, stored=stored, dtype=remembered(storage_of(a.dtype), _form(a, b)))


def _levels(a: Cells, b: Cells) -> tuple[Level, ...]:
    if a.levels == b.levels:
        return a.levels
    if a.is_declared and a.dtype.endswith("ordered]"):
        raise TableError(f"column {a.name!r} has categories in an order, and not the same ones")
    try:
        return tuple(sorted({*a.levels, *b.levels}))  # type: ignore[type-var]
    except TypeError:
        raise TableError(f"column {a.name!r} has levels of several types") from None


def _form(a: Cells, b: Cells) -> str:
    """Return the type to which Python objects of both are decoded; see ``cells.read_objects``."""
    mine, other = form_of(a.dtype), form_of(b.dtype)
    if mine == other or a.stored in NUMBERS:
        return mine if mine == other else ""
    zones = {zone_of(a.dtype), zone_of(b.dtype)}
    if zones == {None}:
        return "datetime[us]"
    if None in zones:
        raise mixed_zones(a.name)
    return "datetime[us, UTC]"
