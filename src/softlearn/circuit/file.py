"""The model file: one safetensors file, doubted from its first byte to its last rule."""

from __future__ import annotations

import json
import os
import reprlib
import secrets
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from softlearn.circuit.flat import ARRAYS, Circuit
from softlearn.circuit.properties import validate
from softlearn.errors import ModelFileError, SoftlearnError
from softlearn.leaf import FAMILIES
from softlearn.table.schema import Schema

FORMAT: Final = "softlearn-circuit"
VERSION: Final = 1

# All we say about the model is one metadata entry: safetensors writes several in random order.
_ENTRY: Final = "softlearn"
# The limit that safetensors itself sets; a longer header is an attack or an accident.
_HEADER_LIMIT: Final = 100_000_000
_LENGTH_BYTES: Final = 8  # the header's length opens the file, little endian
_STORED_AS: Final = {np.uint8: "U8", np.int32: "I32", np.int64: "I64", np.float64: "F64"}

JsonObject = dict[str, Any]


def save_circuit(path: str | os.PathLike[str], circuit: Circuit) -> None:
    """Write a circuit to one file; the same circuit always gives the same bytes.

    The file appears whole or not at all: an existing one is replaced only when the new one is
    safely on disk.

    Parameters
    ----------
    path
        Where to write; the folder must exist. By custom the name ends in ``.safetensors``.
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
    content = _encoded(circuit)
    try:
        # Through a symbolic link, as a plain write would: the link itself must survive.
        _replace(Path(os.path.realpath(path)), content)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot write {path}: {_reason(error)}") from error


def load_circuit(path: str | os.PathLike[str]) -> Circuit:
    """Return the circuit that a file holds, after checking everything about it.

    Nothing in the file is executed, whatever it holds.

    Raises
    ------
    ModelFileError
        When there is no such file, or it is not a sound model; the message says what is wrong.
    """
    try:
        header, content = _read(Path(path))
        return _decoded(header, content)
    except (SoftlearnError, OSError) as error:
        raise ModelFileError(f"cannot load {path}: {_reason(error)}") from error


def _encoded(circuit: Circuit) -> bytes:
    """Return the bytes of the file."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "softlearn": _own_version(),
        "families": [family.name for family in FAMILIES],
        "schema": circuit.schema.to_dict(),
    }
    text = json.dumps(about, sort_keys=True, separators=(",", ":"), allow_nan=False)
    arrays = {name: getattr(circuit, name) for name in ARRAYS}
    content = safetensors.numpy.save(arrays, {_ENTRY: text})
    if _header_length(content) > _HEADER_LIMIT:
        raise ModelFileError(
            f"the schema takes more than the {_HEADER_LIMIT:,} bytes that a file can hold"
        )
    return content


def _own_version() -> str:
    try:
        return metadata.version("softlearn")
    except metadata.PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"


def _replace(target: Path, content: bytes) -> None:
    """Write beside the target, then move over it in one step."""
    if target.is_dir():
        raise ModelFileError("it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise ModelFileError(f"the folder {target.parent} does not exist")
    temporary = target.parent / f".softlearn-{secrets.token_hex(8)}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _read(path: Path) -> tuple[bytes, bytes]:
    """Return the header and the whole content; a header that cannot be true is never read."""
    if not path.exists():
        raise ModelFileError("there is no such file")
    if path.is_dir():
        raise ModelFileError("it is a folder")
    if not path.is_file():  # a pipe or a device might never end
        raise ModelFileError("it is not an ordinary file")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_LENGTH_BYTES)
        length = _header_length(start)
        if size < _LENGTH_BYTES or length > size - _LENGTH_BYTES:
            raise ModelFileError("it is cut short, or not a safetensors file at all")
        if length > _HEADER_LIMIT:
            raise ModelFileError(f"its header claims {length:,} bytes, which no model needs")
        header = file.read(length)
        return header, start + header + file.read()


def _header_length(content: bytes) -> int:
    return int.from_bytes(content[:_LENGTH_BYTES], "little")


def _decoded(header: bytes, content: bytes) -> Circuit:
    stored = _json_object(header, "it is not a safetensors file")
    entries = stored.pop("__metadata__", None)
    text = entries.get(_ENTRY) if isinstance(entries, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("it is a safetensors file, but not one that softlearn wrote")
    about = _json_object(text, "its metadata is damaged")
    _check_format(about)
    _check_arrays(stored)
    try:
        arrays = safetensors.numpy.load(content)
    except SafetensorError as error:
        raise ModelFileError(f"its arrays are cut short or damaged ({error})") from error
    _check_families(about.get("families"), np.unique(arrays["leaf_family"]).tolist())
    schema = about.get("schema")
    if not isinstance(schema, dict):
        raise ModelFileError("its schema is missing")
    circuit = Circuit(schema=Schema.from_dict(schema), **arrays)
    validate(circuit)
    return circuit


def _json_object(text: bytes | str, complaint: str) -> JsonObject:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:  # a few bytes can nest very deeply
        raise ModelFileError(complaint) from error
    if not isinstance(value, dict):
        raise ModelFileError(complaint)
    return value


def _check_format(about: JsonObject) -> None:
    if about.get("format") != FORMAT:
        raise ModelFileError(f"its format is {reprlib.repr(about.get('format'))}, not {FORMAT!r}")
    version = about.get("version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"its format version is {reprlib.repr(version)}, not a number from 1")
    if version > VERSION:
        raise ModelFileError(
            f"it was written by a newer softlearn, format version {reprlib.repr(version)}; "
            f"this one reads up to {VERSION}: upgrade"
        )


def _check_arrays(stored: JsonObject) -> None:
    """Check names, dtypes and dimensions as the header states them, before any array is made."""
    found = [f"it lacks the array {name!r}" for name in ARRAYS if name not in stored]
    extra = sorted(stored.keys() - ARRAYS.keys())
    if extra:
        found.append(f"it holds arrays that no circuit has: {reprlib.repr(extra)}")
    for name in (name for name in ARRAYS if name in stored):
        spec = stored[name] if isinstance(stored[name], dict) else {}
        dtype, shape = spec.get("dtype"), spec.get("shape")
        if dtype != _STORED_AS[ARRAYS[name]]:
            wanted = _STORED_AS[ARRAYS[name]]
            found.append(f"{name} is stored as {reprlib.repr(dtype)}, not {wanted!r}")
        if not isinstance(shape, list) or len(shape) != 1:
            found.append(f"{name} has the shape {reprlib.repr(shape)}, not one dimension")
    if found:
        raise ModelFileError("; ".join(found))


def _check_families(names: object, used: list[int]) -> None:
    """Check that the family ids of the leaves mean here what they meant to the writer."""
    if not isinstance(names, list):
        raise ModelFileError("its list of leaf families is missing")
    for family in used:
        if family >= len(names):
            raise ModelFileError(f"its leaves use family {family}, which it does not name")
        here = FAMILIES[family].name if family < len(FAMILIES) else None
        if names[family] != here:
            raise ModelFileError(
                f"its leaf family {family} is {reprlib.repr(names[family])}, here {here!r}"
            )


def _reason(error: Exception) -> str:
    """Return the system's words without its error number and the path, which we name ourselves."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
