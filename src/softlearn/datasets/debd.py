"""The twenty binary tables on which density estimators are compared, in their three splits."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.arrays import AnyArray
from softlearn.errors import MissingDependencyError, SoftlearnError

FOLDER: Final = "SOFTLEARN_DATA"  # the environment variable that names the data folder
SPLITS: Final = ("train", "valid", "test")

# For each table its columns, and for each split its rows and the SHA-256 of the unpacked file.
_CONTENTS: Final[dict[str, dict[str, Any]]] = json.loads(
    files("softlearn.datasets").joinpath("debd.json").read_text(encoding="utf-8")
)
DEBD_NAMES: Final = tuple(_CONTENTS)


class Splits(NamedTuple):
    """A table cut into three; choose on ``valid``, report on ``test``."""

    train: Any  # uint8 array (rows, columns) of 0 and 1, or a pandas frame of them
    valid: Any
    test: Any


def load_debd(name: str, as_frame: bool = False) -> Splits:
    """Return one of the twenty binary tables.

    The files are looked for in the folder that the environment variable ``SOFTLEARN_DATA`` names,
    as ``debd/<name>.<split>.data.gz``. Rows, columns and checksums are verified: some collections
    have the valid and test splits of ``tmovie`` and ``tretail`` swapped.

    Parameters
    ----------
    name : str
        One of ``softlearn.datasets.DEBD_NAMES``, such as ``"nltcs"``.
    as_frame : bool
        Whether to return pandas frames, with columns "0", "1" and so on, instead of arrays.

    Returns
    -------
    Splits
        ``train``, ``valid`` and ``test``.
    """
    if name not in _CONTENTS:
        raise _unknown(name)
    folder = _data_folder()
    tables = [_read(folder / "debd" / f"{name}.{split}.data.gz", name, split) for split in SPLITS]
    return Splits(*(map(_framed, tables) if as_frame else tables))


def _unknown(name: object) -> SoftlearnError:
    close = get_close_matches(str(name), DEBD_NAMES, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return SoftlearnError(
        f"there is no binary table {name!r}; {hint}Known are {', '.join(DEBD_NAMES)}"
    )


def _data_folder() -> Path:
    told = os.environ.get(FOLDER)
    if not told:
        raise SoftlearnError(
            f"the environment variable {FOLDER} is not set; let it name the folder that holds "
            f"debd/<name>.<split>.data.gz, as in: export {FOLDER}=/path/to/data"
        )
    folder = Path(told).expanduser()
    if not folder.is_dir():
        raise SoftlearnError(
            f"the environment variable {FOLDER} names {told!r}, which is not a folder"
        )
    return folder


def _read(path: Path, name: str, split: str) -> AnyArray:
    """Return the rows of one split, (rows, columns), or say what is wrong with its file."""
    try:
        content = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise SoftlearnError(
            f"{path} is missing; {FOLDER} should name a folder that holds all three splits"
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        raise SoftlearnError(f"{path} cannot be unpacked ({error}); fetch it again") from error
    if hashlib.sha256(content).hexdigest() != _CONTENTS[name][split]["sha256"]:
        raise SoftlearnError(f"{path} {_what_is_wrong(content, name, split)}")
    # Now it is known to hold nothing but 0, 1, commas and ends of lines.
    letters = np.frombuffer(content, dtype=np.uint8)
    digits: AnyArray = letters[(letters == ord("0")) | (letters == ord("1"))] - ord("0")
    return digits.reshape(_CONTENTS[name][split]["rows"], _CONTENTS[name]["columns"])


def _what_is_wrong(content: bytes, name: str, split: str) -> str:
    """Return the most telling difference between a file and what it should hold."""
    about = _CONTENTS[name]
    lines = content.splitlines()
    n_rows, n_columns = len(lines), len(lines[0].split(b",")) if lines else 0
    checksum = hashlib.sha256(content).hexdigest()
    for other in SPLITS:
        same_rows = n_rows == about[other]["rows"] != about[split]["rows"]
        if other != split and (checksum == about[other]["sha256"] or same_rows):
            return (
                f"holds the {n_rows} rows of the {other} split, not the {about[split]['rows']} of "
                f"{split}: swapped files, as in some collections; rename them"
            )
    if n_rows != about[split]["rows"]:
        return f"has {n_rows} rows instead of {about[split]['rows']}; fetch it again"
    if n_columns != about["columns"]:
        return f"has {n_columns} columns instead of {about['columns']}; fetch it again"
    return (
        f"has the checksum {checksum[:12]}… instead of {about[split]['sha256'][:12]}…: its cells "
        "differ from the published table's; fetch it again"
    )


def _framed(table: AnyArray) -> Any:  # noqa: ANN401 - a pandas frame
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "as_frame=True needs pandas: pip install 'softlearn[pandas]'"
        ) from error
    return pd.DataFrame(table, columns=[str(i) for i in range(table.shape[1])])
