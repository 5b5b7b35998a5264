"""The twenty binary tables on which density estimators are compared, in their three splits."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.datasets.download import download
from softlearn.datasets.files import DataFile, Source, content_of, other_checksum
from softlearn.datasets.published import Published, contents, must_be_known
from softlearn.errors import MissingDependencyError

REPOSITORY: Final = "https://github.com/UCLA-StarAI/Density-Estimation-Datasets"
ADDRESS = (
    "https://raw.githubusercontent.com/UCLA-StarAI/Density-Estimation-Datasets/master/datasets"
)
SPLITS: Final = ("train", "valid", "test")

# For each table its columns, and for each split its rows and the SHA-256 of the unpacked file.
_CONTENTS: Final = contents("debd.json")
DEBD_NAMES: Final = tuple(_CONTENTS)

# Some collections have swapped these two splits of these tables; the checksum tells them apart.
_SWAPPED: Final = {"valid": "test", "test": "valid"}
_OFTEN_SWAPPED: Final = ("tmovie", "tretail")


class Splits(NamedTuple):
    """A table in three splits: select models on ``valid``, report results on ``test``."""

    train: Any  # uint8 array (rows, columns) of 0 and 1, or a pandas frame of them
    valid: Any
    test: Any


def load_debd(name: str, as_frame: bool = False) -> Splits:
    """Return one of the twenty binary tables.

    The files are looked for in the folder that the environment variable ``SOFTLEARN_DATA`` names,
    as ``debd/<name>.<split>.data.gz``, then in the user's cache folder, and else are downloaded.
    Rows, columns and checksums are verified each time: some collections have the valid and test
    splits of ``tmovie`` and ``tretail`` swapped.

    Parameters
    ----------
    name : str
        One of ``softlearn.datasets.DEBD_NAMES``, such as ``"nltcs"``.
    as_frame : bool
        Whether to return pandas frames instead of arrays. Their columns are called "0", "1" and so
        on, as a model calls those of an array: one that learnt from either reads the other.

    Returns
    -------
    Splits
        ``train``, ``valid`` and ``test``.
    """
    files = published(name).files
    tables = [_table(content_of(file), _CONTENTS[name]["columns"]) for file in files]
    return Splits(*(map(_framed, tables) if as_frame else tables))


def published(name: str) -> Published:
    """Return what is known of a binary table."""
    must_be_known(name, _CONTENTS, "binary table")
    about = _CONTENTS[name]
    return Published(
        name=name,
        kind="binary",
        about=about["about"],
        rows={split: about[split]["rows"] for split in SPLITS},
        columns=about["columns"],
        source=REPOSITORY,
        licence="not stated",
        citation="Lowd and Davis: Learning Markov network structure with decision trees, ICDM 2010;"
        " Van Haaren and Davis: Markov network structure learning, AAAI 2012",
        files=tuple(_file(name, split) for split in SPLITS),
    )


def _file(name: str, split: str) -> DataFile:
    splits = [split]
    if name in _OFTEN_SWAPPED and split in _SWAPPED:
        splits.append(_SWAPPED[split])
    addresses = [f"{ADDRESS}/{name}/{name}.{one}.data" for one in splits]
    return DataFile(
        path=f"debd/{name}.{split}.data.gz",
        sha256=_CONTENTS[name][split]["sha256"],
        sources=tuple(Source(address, partial(download, address)) for address in addresses),
        difference=partial(_difference, name=name, split=split),
    )


def _table(content: bytes, n_columns: int) -> AnyArray:
    """Return the rows, (rows, columns), of a file known to hold 0, 1, commas and ends of lines."""
    letters = np.frombuffer(content, dtype=np.uint8)
    digits: AnyArray = letters[(letters == ord("0")) | (letters == ord("1"))] - ord("0")
    return digits.reshape(-1, n_columns)


def _difference(content: bytes, *, name: str, split: str) -> str:
    """Describe the most important difference between a file and its expected content."""
    about = _CONTENTS[name]
    lines = content.splitlines()
    n_rows, n_columns = len(lines), len(lines[0].split(b",")) if lines else 0
    checksum = hashlib.sha256(content).hexdigest()
    for other in SPLITS:
        same_rows = n_rows == about[other]["rows"] != about[split]["rows"]
        if other != split and (checksum == about[other]["sha256"] or same_rows):
            return (
                f"holds the {n_rows} rows of the {other} split, not the {about[split]['rows']} of "
                f"{split}: swapped, as in some collections"
            )
    if n_rows != about[split]["rows"]:
        return f"has {n_rows} rows instead of {about[split]['rows']}"
    if n_columns != about["columns"]:
        return f"has {n_columns} columns instead of {about['columns']}"
    return other_checksum(content, about[split]["sha256"])


def _framed(table: AnyArray) -> Any:  # noqa: ANN401 - a pandas frame
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "as_frame=True needs pandas: pip install 'softlearn[pandas]'"
        ) from error
    return pd.DataFrame(table, columns=[str(i) for i in range(table.shape[1])])
