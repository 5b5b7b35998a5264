"""All data sets by name: what they are, where their files are, and how to fetch them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from softlearn.datasets import debd, mixed, mnist, tabular
from softlearn.datasets.files import Where, content_of, find
from softlearn.datasets.published import Kind, Published, must_be_known


class Info(NamedTuple):
    """The description of a data set, available without loading it."""

    name: str
    kind: Kind
    about: str
    rows: int  # of all splits together
    columns: int
    splits: Mapping[str, int]  # rows by split; empty for a table that is not split
    # "local": in SOFTLEARN_DATA; "cache": fetched before; "download": to be fetched;
    # "absent": to be brought by hand
    where: Where
    source: str
    licence: str
    citation: str


def available() -> tuple[Info, ...]:
    """Return the descriptions of all data sets."""
    return tuple(info(name) for name in _publishers())


def info(name: str) -> Info:
    """Return the description of a data set, and where its files are now."""
    known = _published(name)
    places = {find(file)[0] for file in known.files}
    farthest: tuple[Where, ...] = ("absent", "download", "cache", "local")
    return Info(
        name=name,
        kind=known.kind,
        about=known.about,
        rows=sum(known.rows.values()),
        columns=known.columns,
        splits=dict(known.rows) if len(known.rows) > 1 else {},
        where=next(place for place in farthest if place in places),
        source=known.source,
        licence=known.licence,
        citation=known.citation,
    )


def fetch(name: str) -> tuple[Path, ...]:
    """Download the files of a data set that are missing, and return the paths of all.

    Files that are there already are checked, and not fetched again.
    """
    paths = []
    for file in _published(name).files:
        content_of(file)
        paths.append(find(file)[1])
    return tuple(paths)


def _publishers() -> Mapping[str, Callable[[str], Published]]:
    return (
        dict.fromkeys(debd.DEBD_NAMES, debd.published)
        | dict.fromkeys(mixed.MIXED_NAMES, mixed.published)
        | dict.fromkeys(tabular.TABULAR_NAMES, tabular.published)
        | {"mnist": mnist.published}
    )


def _published(name: str) -> Published:
    publishers = _publishers()
    must_be_known(name, publishers, "data set")
    return publishers[name](name)
