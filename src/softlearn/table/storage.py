"""What a column's dtype text remembers: where its cells are stored, and how they are written there.

A dtype such as ``datetime64[us]`` says it all. Text and Python objects hold cells of many kinds, so
that their form is remembered behind the dtype: ``str as YYYY-MM-DD``, ``object as Decimal``.
"""

from __future__ import annotations

_MARK = " as "


def remembered(storage: str, form: str) -> str:
    """Return a dtype text that remembers the form of its cells; an empty form adds nothing."""
    return f"{storage}{_MARK}{form}" if form else storage


def storage_of(dtype: str) -> str:
    """Return the library's own part of a dtype text."""
    return dtype.partition(_MARK)[0]


def form_of(dtype: str) -> str:
    """Return how the cells are written, or nothing if the library's dtype says it all."""
    return dtype.partition(_MARK)[2]
