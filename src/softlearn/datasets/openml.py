"""Tables of OpenML, rewritten as the file whose checksum is known.

OpenML sends ARFF, sometimes with other names of columns and levels than a table's authors gave
them. Here its cells are put into our columns, numbers are written in one way, and levels get our
names in the order in which they first occur. If the cells are the same, so is every byte.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from softlearn.datasets.download import download
from softlearn.errors import SoftlearnError

SERVICE = "https://www.openml.org"

About: TypeAlias = dict[str, Any]  # of a column: name, kind, levels, …

_ATTRIBUTE = re.compile(r"""^@attribute\s+('[^']*'|"[^"]*"|\S+)""", re.IGNORECASE | re.MULTILINE)
_DATA = re.compile(r"^@data\b.*$", re.IGNORECASE | re.MULTILINE)
_QUOTES = "'\""


def page(number: int) -> str:
    """Return the address of a data set's page."""
    return f"{SERVICE}/d/{number}"


def fetch_csv(number: int, columns: Sequence[About]) -> bytes:
    """Return a data set of OpenML as a CSV file with these columns."""
    description = download(f"{SERVICE}/api/v1/json/data/{number}")
    try:
        address = str(json.loads(description)["data_set_description"]["url"])
    except (ValueError, KeyError, TypeError) as error:
        raise SoftlearnError(f"{page(number)}: its description names no file") from error
    arff = download(address).decode("utf-8", errors="replace")
    try:
        return as_csv(arff, columns)
    except (ValueError, csv.Error) as error:
        raise SoftlearnError(f"{address} is not the expected table: {error}") from error


def as_csv(arff: str, columns: Sequence[About]) -> bytes:
    """Return an ARFF file's cells as a CSV file with these columns."""
    head, *rest = _DATA.split(arff, maxsplit=1)
    names = [name.strip(_QUOTES) for name in _ATTRIBUTE.findall(head)]
    body = "".join(rest)
    lines = [line for line in body.splitlines() if line.strip() and not line.startswith("%")]
    rows = list(csv.reader(lines, quotechar="'", skipinitialspace=True))
    if not rows or {len(row) for row in rows} != {len(names)}:
        raise SoftlearnError(f"it should have rows of {len(names)} cells each, one for each column")
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    written = [_written(column, cells) for column in columns]
    table = [[column["name"] for column in columns], *zip(*written, strict=True)]
    return "".join(f"{','.join(row)}\n" for row in table).encode()


def _written(column: About, cells: dict[str, tuple[str, ...]]) -> list[str]:
    """Return one column's cells as our file has them."""
    source = column.get("openml", column["name"])
    if source not in cells:
        raise SoftlearnError(f"it has no column {source!r}")
    found = [cell.strip().strip(_QUOTES) for cell in cells[source]]
    if column["kind"] == "integer":
        return [str(int(float(cell))) for cell in found]
    if column["kind"] == "numeric":
        return [repr(float(cell)) for cell in found]
    levels = column["levels"]
    ours = [levels[position] for position in column.get("seen", range(len(levels)))]
    theirs = dict.fromkeys(found)
    if len(theirs) != len(ours):
        raise SoftlearnError(
            f"its column {source!r} has {len(theirs)} levels instead of {len(ours)}"
        )
    called = dict(zip(theirs, ours, strict=True))
    return [called[cell] for cell in found]
