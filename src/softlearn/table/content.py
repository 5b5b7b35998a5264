"""Decide what cells mean by their content, not by how they are stored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softlearn.arrays import Floats
from softlearn.table.cells import Cells
from softlearn.table.column import LARGEST_EXACT_INTEGER, Column
from softlearn.table.iso import read_iso
from softlearn.table.storage import remembered

NUMBERS = ("boolean", "integer", "numeric")

# The storage types that hold a kind (or for labels, the type of their levels) without loss.
_HOLDERS: dict[type | str, tuple[str, ...]] = {
    "boolean": NUMBERS,
    "integer": ("integer", "numeric"),
    "numeric": ("numeric",),
    "datetime": ("datetime",),
    str: ("categorical",),
    bool: NUMBERS,
    int: ("integer", "numeric"),
    float: ("numeric",),
}


def by_content(cells: Cells) -> Cells:
    """Return the cells by their content: whole numbers as integers, ISO text as times.

    Text is never parsed as numbers: only readers of files do that, whose cells are all text.
    """
    if cells.stored == "numeric" and _are_whole(cells.observed):
        return replace(cells, stored="integer")
    return times_in(cells) or cells


def as_kind_needs(cells: Cells, kind: str) -> Cells:
    """Return the cells as a column of some kind reads them: ISO text as times, if they must be."""
    return (times_in(cells) or cells) if kind == "datetime" else cells


def times_in(cells: Cells) -> Cells | None:
    """Return text that is ISO dates or times as such, or None if a cell is anything else."""
    read = read_iso([str(level) for level in cells.levels]) if cells.is_text else None
    if read is None:
        return None
    form, seconds = read
    dtype = remembered(cells.dtype, str(form))
    return Cells(cells.name, dtype, "datetime", cells.look_up(seconds))


def is_misfit(cells: Cells, column: Column) -> bool:
    """Return whether a column without observed cells is stored in a dtype for something else."""
    holds: type | str = column.kind if column.kind in _HOLDERS else type(column.levels[0])
    return not cells.observed.size and cells.stored not in _HOLDERS[holds]


def _are_whole(numbers: Floats) -> bool:
    """Return whether there are numbers, all whole and small enough for float64 to be exact."""
    whole = (numbers == np.rint(numbers)) & (np.abs(numbers) <= LARGEST_EXACT_INTEGER)
    return bool(numbers.size and whole.all())
