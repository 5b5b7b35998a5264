"""Find the files that a path, a folder or a pattern names."""

from __future__ import annotations

import glob
from pathlib import Path

from softlearn.errors import TableError

_SUFFIXES = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".feather")


def names_several(path: str) -> bool:
    """Return whether a path is a folder or a pattern, and not a file."""
    return Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())


def find_files(path: str) -> list[Path]:
    """Return the files of a table, sorted by name; a path without a pattern need not exist."""
    if not names_several(path):
        return [Path(path)]
    where = Path(path)
    if where.is_dir():
        found = [one for one in where.iterdir() if one.name.endswith(_SUFFIXES)]
    else:
        found = [Path(one) for one in glob.glob(path, recursive=True) if Path(one).is_file()]
    if not found:
        raise TableError(f"{path} matches no table file")
    return sorted(found)
