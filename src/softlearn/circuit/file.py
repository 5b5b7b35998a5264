"""Save and load circuits: files are written atomically, and validated when read."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import BinaryIO, Final

from softlearn.circuit.file_format import (
    HEADER_LIMIT,
    LENGTH_BYTES,
    decode,
    encode,
    header_length,
    read_header,
)
from softlearn.circuit.flat import Circuit
from softlearn.circuit.properties import validate
from softlearn.circuit.psdd_text import read_psdd, read_vtree
from softlearn.circuit.psdd_write import psdd_texts
from softlearn.errors import ModelFileError, SoftlearnError
from softlearn.whole_files import write_whole

PSDD: Final = ".psdd"
VTREE: Final = ".vtree"


def save_circuit(path: str | os.PathLike[str], circuit: Circuit) -> None:
    """Write a circuit to a file; the same circuit always gives the same bytes.

    The file appears whole or not at all: an existing one is replaced only when the new one is
    safely on disk.

    Parameters
    ----------
    path
        Where to write; the folder must exist. By custom the name ends in ``.safetensors``. If it
        ends in ``.psdd``, the circuit is written as text, with its tree of columns beside it
        (``.vtree``).
    circuit
        A sound circuit.

    Raises
    ------
    CircuitError
        When the circuit is not sound, so that no file is written that cannot be loaded.
    ModelFileError
        When the file cannot be written.
    """
    validate(circuit)
    try:
        # Through a symbolic link, as a plain write would: the link itself must survive.
        target = Path(os.path.realpath(path))
        if _is_text(path):
            psdd, vtree = psdd_texts(circuit)
            _replace(target.with_suffix(VTREE), vtree.encode())  # first: one needs the other
            _replace(target, psdd.encode())
        else:
            _replace(target, encode(circuit))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot write {path}: {_reason(error)}") from error


def load_circuit(path: str | os.PathLike[str]) -> Circuit:
    """Load a circuit from a file, and validate it.

    Nothing in the file is executed, whatever it holds. A file whose name ends in ``.psdd`` is read
    together with the ``.vtree`` file beside it.

    Raises
    ------
    ModelFileError
        When there is no such file, or it is not a sound model; the message says what is wrong.
    """
    try:
        return _read_text(Path(path)) if _is_text(path) else _read(Path(path))
    except (SoftlearnError, OSError) as error:
        raise ModelFileError(f"cannot load {path}: {_reason(error)}") from error


def circuit_to_bytes(circuit: Circuit) -> bytes:
    """Return what ``save_circuit`` writes, to send a circuit to another process."""
    validate(circuit)
    return encode(circuit)


def circuit_from_bytes(content: bytes) -> Circuit:
    """Return the circuit that ``circuit_to_bytes`` has written, checked like a file."""
    return _parsed(io.BytesIO(content), len(content))


def _is_text(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix == PSDD


def _read_text(path: Path) -> Circuit:
    """Read a circuit and its tree of columns; what is wrong with the latter names its file."""
    tree = path.with_suffix(VTREE)
    try:
        vtree = read_vtree(_text_of(tree))
    except ModelFileError as error:
        raise ModelFileError(f"{tree.name} beside it: {error}") from error
    return read_psdd(_text_of(path), vtree)


def _text_of(path: Path) -> str:
    _must_be_ordinary(path)
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        raise ModelFileError("it is not a text file") from None


def _replace(target: Path, content: bytes) -> None:
    """Replace a file in one step; folders are named, not made."""
    if target.is_dir():
        raise ModelFileError("it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise ModelFileError(f"the folder {target.parent} does not exist")
    write_whole(target, content)


def _read(path: Path) -> Circuit:
    """Read no more than what has been found sound so far promises."""
    _must_be_ordinary(path)
    with path.open("rb") as file:
        return _parsed(file, os.fstat(file.fileno()).st_size)


def _parsed(file: BinaryIO, size: int) -> Circuit:
    start = file.read(LENGTH_BYTES)
    length = header_length(start)
    if size < LENGTH_BYTES or length > size - LENGTH_BYTES:
        raise ModelFileError("it is truncated, or not a safetensors file")
    if length > HEADER_LIMIT:
        raise ModelFileError(f"its header claims {length:,} bytes, which no model needs")
    header = file.read(length)
    about = read_header(header, size - LENGTH_BYTES - length)
    return decode(about, start + header + file.read())


def _must_be_ordinary(path: Path) -> None:
    if not path.exists():
        raise ModelFileError("there is no such file")
    if path.is_dir():
        raise ModelFileError("it is a folder")
    if not path.is_file():  # a pipe or a device might never end
        raise ModelFileError("it is not an ordinary file")


def _reason(error: Exception) -> str:
    """Return the system's words without its error number and the path, which we name ourselves."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
