"""Descriptions of published data sets, known without opening their files."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from softlearn.datasets.files import DataFile
from softlearn.errors import SoftlearnError

Kind: TypeAlias = Literal["binary", "mixed", "image"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A data set's description, and the files that it is made of."""

    name: str
    kind: Kind
    about: str
    rows: Mapping[str, int]  # by split; one entry for a table that is not split
    columns: int
    source: str  # an address for people
    licence: str
    citation: str
    files: tuple[DataFile, ...]


def contents(file: str) -> dict[str, dict[str, Any]]:
    """Return one of the tables of metadata in the package."""
    text = files("softlearn.datasets").joinpath(file).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def must_be_known(name: object, known: Collection[str], noun: str) -> None:
    """Refuse a name that is not among the known ones, with the closest of them."""
    if name in known:
        return
    close = get_close_matches(str(name), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    raise SoftlearnError(f"there is no {noun} {name!r}; {hint}Known are {', '.join(known)}")
