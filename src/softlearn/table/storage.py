"""The dtype text of a column: how its cells are stored, and how they are written.

A dtype such as ``datetime64[us]`` is complete. Text and Python objects hold cells of many kinds, so
their form follows the dtype: ``str as YYYY-MM-DD``, ``object as Decimal``.
"""

from __future__ import annotations

import re

from softlearn.table.iso import IsoForm

_MARK = " as "
_LONGEST = 200  # letters of a dtype; twice the longest that any library writes

_ZONE = r"[^\]\x00-\x1f]{1,64}"
_STAMP = rf"\[[0-9]{{0,3}}(Y|M|W|D|h|m|s|ms|us|ns)(, (tz=)?{_ZONE})?\]"
_PLAIN = re.compile(
    "|".join(
        (
            r"bool|boolean|bool_|Boolean|object|null",
            r"u?int(8|16|32|64)|U?Int(8|16|32|64|128)",
            r"float(16|32|64|96|128)?|Float(16|32|64)|halffloat|double",
            r"str|string|String|large_string|string_view|string\[(python|pyarrow|pyarrow_numpy)\]",
            r"Categorical|Enum|category|Date|date32\[day\]|date64\[ms\]",
            r"[<>=|]?[biuf](1|2|4|8|16)|[<>=|]?U[0-9]{1,9}",
            rf"(datetime64|Datetime|timestamp|[<>=]M8){_STAMP}",
            r"decimal(32|64|128|256)\([0-9]{1,2}, -?[0-9]{1,2}\)|Decimal\[[0-9]{1,2}, [0-9]{1,2}\]",
            r"Sparse\[[a-z]{1,7}[0-9]{0,3}, [\w.+-]{1,24}\]",
        )
    )
)
_HOLDERS = (
    re.compile(r"category\[(?P<held>.+?)(, ordered)?\]"),
    re.compile(r"arrow\[(?P<held>.+)\]"),
    re.compile(r"dictionary<values=(?P<held>.+), indices=u?int(8|16|32|64), ordered=[01]>"),
)
_FORM = re.compile(rf"Decimal|float|date|datetime\[us(, {_ZONE})?\]")


def remembered(storage: str, form: str) -> str:
    """Return a dtype text with the form of the cells; an empty form adds nothing."""
    return f"{storage}{_MARK}{form}" if form else storage


def storage_of(dtype: str) -> str:
    """Return the library's part of a dtype text."""
    return dtype.partition(_MARK)[0]


def form_of(dtype: str) -> str:
    """Return the form of the cells; empty if the library's dtype is complete."""
    return dtype.partition(_MARK)[2]


def is_known_dtype(dtype: str) -> bool:
    """Return whether a dtype text is one that ``infer_schema`` may have written.

    Libraries accept many more texts as a dtype, some of which would allocate gigabytes per cell, so
    the dtypes in an untrusted file are compared with this list.
    """
    if len(dtype) > _LONGEST:
        return False
    form, held = form_of(dtype), storage_of(dtype)
    if form and not (_FORM.fullmatch(form) or IsoForm.parse(form)):
        return False
    for holder in _HOLDERS:  # arrow[dictionary<...>] is the deepest that occurs
        found = holder.fullmatch(held)
        held = found["held"] if found else held
    return not held or _PLAIN.fullmatch(held) is not None
