"""Six tables of mixed columns: numbers, whole numbers and categories side by side."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.datasets import openml
from softlearn.datasets.files import DataFile, Source, content_of, other_checksum
from softlearn.datasets.published import Published, contents, must_be_known
from softlearn.errors import MissingDependencyError
from softlearn.table import Schema, infer_schema

# For each table its rows, the SHA-256 of the unpacked file, and its columns with their levels.
_CONTENTS: Final = contents("mixed.json")
MIXED_NAMES: Final = tuple(_CONTENTS)

_DTYPES: Final = {"integer": np.int64, "numeric": np.float64}


class Mixed(NamedTuple):
    """A table, its schema, and the column that is usually predicted."""

    frame: Any  # a pandas frame: category, int64 and float64 columns, no missing cells
    schema: Schema
    target: str


def load_mixed(name: str) -> Mixed:
    """Return one of the six mixed tables.

    The file is looked for in the folder that the environment variable ``SOFTLEARN_DATA`` names, as
    ``openml/<name>.csv.gz``, then in the user's cache folder, and else is fetched from OpenML. It
    is verified each time.

    Parameters
    ----------
    name : str
        One of ``softlearn.datasets.MIXED_NAMES``, such as ``"bank"``.

    Returns
    -------
    Mixed
        ``frame``, ``schema`` and ``target``. The schema has the kinds as published: a measurement
        is a decimal number, even where all of them happen to be whole.
    """
    (file,) = published(name).files
    frame = _framed(content_of(file), _CONTENTS[name]["columns"])
    kinds = {column["name"]: column["kind"] for column in _CONTENTS[name]["columns"]}
    found = infer_schema(frame, overrides=kinds)
    columns = tuple(replace(column, reason="as published") for column in found)
    return Mixed(frame, replace(found, columns=columns), _CONTENTS[name]["target"])


def published(name: str) -> Published:
    """Return what is known of a mixed table."""
    must_be_known(name, _CONTENTS, "mixed table")
    about = _CONTENTS[name]
    address = openml.page(about["openml"])
    obtain = partial(openml.fetch_csv, about["openml"], about["columns"])
    return Published(
        name=name,
        kind="mixed",
        about=about["about"],
        rows={"all": about["rows"]},
        columns=len(about["columns"]),
        source=address,
        licence=about["licence"],
        citation=about["citation"],
        files=(
            DataFile(
                path=f"openml/{name}.csv.gz",
                sha256=about["sha256"],
                sources=(Source(address, obtain),),
                difference=partial(_difference, name=name),
            ),
        ),
    )


def _framed(content: bytes, columns: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - a pandas frame
    """Return the rows of a file known to be right, each column in its dtype."""
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "mixed tables come as pandas frames: pip install 'softlearn[pandas]'"
        ) from error
    _, *rows = csv.reader(content.decode("utf-8").splitlines())
    cells = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            column["name"]: pd.Categorical(values, categories=column["levels"])
            if column["kind"] == "categorical"
            # Read by Python, to the last digit on every version of pandas.
            else np.array([float(value) for value in values]).astype(_DTYPES[column["kind"]])
            for column, values in zip(columns, cells, strict=True)
        }
    )


def _difference(content: bytes, *, name: str) -> str:
    """Describe the most important difference between a file and its expected content."""
    about = _CONTENTS[name]
    head, *rows = content.decode("utf-8", errors="replace").splitlines() or [""]
    names = [column["name"] for column in about["columns"]]
    strangers = [found for found in head.split(",") if found not in names]
    if head != ",".join(names):
        what = f" {strangers[0]!r}, which is not one of them" if strangers else " others"
        return f"should begin with the columns {', '.join(names)}, but has{what}"
    if len(rows) != about["rows"]:
        return f"has {len(rows)} rows instead of {about['rows']}"
    return other_checksum(content, about["sha256"])
