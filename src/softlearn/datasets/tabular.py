"""Four mixed tables for comparing generators of synthetic rows, with train and test splits."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from softlearn.datasets.files import DataFile, content_of, other_checksum
from softlearn.datasets.published import Published, contents, must_be_known
from softlearn.errors import MissingDependencyError

Task: TypeAlias = Literal["classification", "regression"]

SPLITS: Final = ("train", "test")

# For each table its columns, its target, and for each split its rows and the SHA-256 of the
# unpacked file.
_CONTENTS: Final = contents("tabular.json")
TABULAR_NAMES: Final = tuple(_CONTENTS)


class Tabular(NamedTuple):
    """A table in two splits, and the column that is usually predicted."""

    train: Any  # a pandas frame: text, int64, float64 and bool columns; missing cells are NaN
    test: Any
    target: str
    task: Task  # what predicting the target is


def load_tabular(name: str) -> Tabular:
    """Return one of the four tables for comparing generators.

    The files are looked for in the folder that the environment variable ``SOFTLEARN_DATA`` names,
    as ``tabular/<name>.<split>.csv.gz``, then in the user's cache folder. They cannot be
    downloaded: the tables are public, but not these very splits. They are verified each time.

    Parameters
    ----------
    name : str
        One of ``softlearn.datasets.TABULAR_NAMES``, such as ``"adult"``.

    Returns
    -------
    Tabular
        ``train``, ``test``, ``target`` and ``task``. The frames are what ``pandas.read_csv`` makes
        of the files; cells that are missing in ``adult`` are missing.
    """
    train, test = (_framed(content_of(file)) for file in published(name).files)
    about = _CONTENTS[name]
    return Tabular(train, test, about["target"], about["task"])


def published(name: str) -> Published:
    """Return what is known of a table in two splits."""
    must_be_known(name, _CONTENTS, "table in two splits")
    about = _CONTENTS[name]
    return Published(
        name=name,
        kind="mixed",
        about=about["about"],
        rows={split: about[split]["rows"] for split in SPLITS},
        columns=len(about["columns"]),
        source=about["source"],
        licence=about["licence"],
        citation=about["citation"],
        files=tuple(_file(name, split) for split in SPLITS),
    )


def _file(name: str, split: str) -> DataFile:
    about = _CONTENTS[name]
    return DataFile(
        path=f"tabular/{name}.{split}.csv.gz",
        sha256=about[split]["sha256"],
        sources=(),  # the public files have no such splits, and write some cells otherwise
        difference=partial(_difference, name=name, split=split),
        holds=f"a CSV file of {about[split]['rows']} rows from {about['source']}",
    )


def _framed(content: bytes) -> Any:  # noqa: ANN401 - a pandas frame
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "these tables come as pandas frames: pip install 'softlearn[pandas]'"
        ) from error
    return pd.read_csv(BytesIO(content))


def _difference(content: bytes, *, name: str, split: str) -> str:
    """Describe the most important difference between a file and its expected content."""
    about = _CONTENTS[name]
    head, *rows = content.decode("utf-8", errors="replace").splitlines() or [""]
    if head != ",".join(about["columns"]):
        return f"should begin with the columns {', '.join(about['columns'])}"
    if len(rows) != about[split]["rows"]:
        return f"has {len(rows)} rows instead of {about[split]['rows']}"
    return other_checksum(content, about[split]["sha256"])
