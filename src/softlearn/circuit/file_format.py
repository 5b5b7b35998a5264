"""Encode a circuit as the bytes of a safetensors file, and decode and validate such bytes."""

from __future__ import annotations

import hashlib
import json
import re
import reprlib
from collections.abc import Mapping
from importlib import metadata
from typing import Any, Final, TypeAlias

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from softlearn.arrays import AnyArray
from softlearn.circuit.flat import ARRAYS, Circuit
from softlearn.circuit.normalise import normalised
from softlearn.circuit.properties import validate
from softlearn.errors import ModelFileError
from softlearn.leaf import FAMILIES
from softlearn.table.schema import Schema

FORMAT: Final = "softlearn-circuit"
VERSION: Final = 2  # since 2 columns have a scale, and may model their missing cells
LENGTH_BYTES: Final = 8  # the header's length opens the file, little endian
# The limit that safetensors itself sets; a longer header is an attack or an accident.
HEADER_LIMIT: Final = 100_000_000

# All we say about a model is one metadata entry: safetensors writes several in random order.
_ENTRY: Final = "softlearn"
_STORED_AS: Final = {np.uint8: "U8", np.int32: "I32", np.int64: "I64", np.float64: "F64"}

# What Python makes of JSON takes more memory than its text: a list of three letters, 64 bytes. Of
# circuits that people have, it takes less than the allowance even with no column alike.
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BYTES_A_CONTAINER, _BYTES_A_TEXT, _BYTES_A_VALUE = 80, 50, 40
_ALLOWED_TIMES, _ALLOWED_ALWAYS = 6, 1 << 24

JsonObject: TypeAlias = dict[str, Any]


def encode(circuit: Circuit) -> bytes:
    """Return the bytes of the file of a sound circuit; the same circuit gives the same bytes."""
    arrays = {name: getattr(circuit, name) for name in ARRAYS}
    about: JsonObject = {
        "format": FORMAT,
        "version": VERSION,
        "softlearn": _own_version(),
        "families": [family.name for family in FAMILIES],
        "schema": circuit.schema.to_dict(),
    }
    if not _is_unicode(about):
        raise ModelFileError(
            "a name or level of its schema has an incomplete Unicode character (a lone surrogate)"
        )
    about["checksum"] = checksum(about, arrays)
    content = safetensors.numpy.save(arrays, {_ENTRY: _canonical(about)})
    if header_length(content) > HEADER_LIMIT:
        raise ModelFileError(f"its schema takes more than {HEADER_LIMIT:,} bytes")
    return content


def read_header(header: bytes, n_bytes: int) -> JsonObject:
    """Return what a file says about its model, from its JSON header alone.

    ``n_bytes`` follow the header. Anything may be in these bytes: what cannot be a circuit's file
    is a ``ModelFileError``, before the arrays take any memory.
    """
    n_all = len(header) + n_bytes
    stored = _json_object(_text(header), n_all, "it is not a safetensors file")
    entries = stored.pop("__metadata__", None)
    text = entries.get(_ENTRY) if isinstance(entries, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("it is a safetensors file, but not one that softlearn wrote")
    about = _json_object(text, n_all, "its metadata is damaged")
    _check_format(about)
    _check_stored(stored, n_bytes)
    return about


def decode(about: JsonObject, content: bytes) -> Circuit:
    """Return the circuit in a file's whole content, of which the header is known to be sound."""
    try:
        arrays = safetensors.numpy.load(content)
    except SafetensorError as error:
        raise ModelFileError(f"its arrays are damaged ({error})") from error
    stated = about.get("checksum")
    said = {key: value for key, value in about.items() if key != "checksum"}
    if stated != checksum(said, arrays):
        raise ModelFileError("it is damaged: its checksum does not match")
    _check_families(about.get("families"), np.unique(arrays["leaf_family"]).tolist())
    circuit = Circuit(schema=Schema.from_dict(about.get("schema")), **arrays)
    validate(circuit)
    return normalised(circuit)


def header_length(content: bytes) -> int:
    """Return the length of the JSON header that a file announces."""
    return int.from_bytes(content[:LENGTH_BYTES], "little")


def checksum(about: JsonObject, arrays: Mapping[str, AnyArray]) -> str:
    """Return a digest of all that a file says; it finds accidents, not forgers."""
    digest = hashlib.sha256(_canonical(about).encode())
    for name in ARRAYS:
        digest.update(f"{name} {arrays[name].size} ".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def _canonical(about: JsonObject) -> str:
    return json.dumps(about, sort_keys=True, separators=(",", ":"))


def _own_version() -> str:
    try:
        return metadata.version("softlearn")
    except metadata.PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"


def _text(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError as error:
        raise ModelFileError("it is not a safetensors file") from error


def _json_object(text: str, n_bytes: int, complaint: str) -> JsonObject:
    """Return the object that a text holds, of a file of so many bytes."""
    if _parsed_size(text) > _ALLOWED_TIMES * n_bytes + _ALLOWED_ALWAYS:
        raise ModelFileError(f"{complaint}: it is far longer than its arrays need")
    try:
        value = json.loads(text)
        is_unicode = _is_unicode(value)  # also shows that it can be written, for the checksum
    except (ValueError, RecursionError) as error:  # a few bytes can nest very deeply
        raise ModelFileError(complaint) from error
    if not isinstance(value, dict) or not is_unicode:
        raise ModelFileError(complaint)
    return value


def _is_unicode(value: object) -> bool:
    """Return whether all texts in a JSON value can be printed and sent: half a letter cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _parsed_size(text: str) -> int:
    """Return about how many bytes the values of a JSON text take in memory, its letters aside."""
    bare, n_strings = _STRING.subn("", text)
    n_containers = bare.count("[") + bare.count("{")
    n_texts = n_strings - bare.count(":")  # keys are shared
    n_values = bare.count(",") + n_containers
    return n_containers * _BYTES_A_CONTAINER + n_texts * _BYTES_A_TEXT + n_values * _BYTES_A_VALUE


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


def _check_stored(stored: JsonObject, n_bytes: int) -> None:
    """Check names, dtypes, dimensions and total size of the arrays, as the header states them."""
    found = [f"it lacks the array {name!r}" for name in ARRAYS if name not in stored]
    extra = sorted(stored.keys() - ARRAYS.keys())
    if extra:
        found.append(f"it holds arrays that no circuit has: {reprlib.repr(extra)}")
    for name in [name for name in ARRAYS if name in stored]:
        found += _spec_faults(name, stored[name])
    if found:
        raise ModelFileError("; ".join(found))
    needed = max(stored[name]["data_offsets"][1] for name in ARRAYS)
    if needed != n_bytes:
        raise ModelFileError(
            f"its arrays take {reprlib.repr(needed)} bytes, but it holds {n_bytes}: "
            "it is truncated or damaged"
        )


def _spec_faults(name: str, spec: object) -> list[str]:
    """Return what is wrong with one array's description."""
    described = spec if isinstance(spec, dict) else {}
    dtype, shape, place = (described.get(key) for key in ("dtype", "shape", "data_offsets"))
    wanted = _STORED_AS[ARRAYS[name]]
    found = []
    if dtype != wanted:
        found.append(f"{name} is stored as {reprlib.repr(dtype)}, not {wanted!r}")
    if not isinstance(shape, list) or len(shape) != 1:
        found.append(f"{name} has the shape {reprlib.repr(shape)}, not one dimension")
    if not isinstance(place, list) or [type(end) for end in place] != [int, int]:
        found.append(f"{name} is at {reprlib.repr(place)}, not between two bytes")
    return found


def _check_families(names: object, used: list[int]) -> None:
    """Check that the family ids of the leaves mean here what they meant to the writer."""
    if not isinstance(names, list):
        raise ModelFileError("its list of leaf families is missing")
    for family in used:
        if family >= len(names):
            raise ModelFileError(f"its leaves use family {family}, which it does not list")
        here = FAMILIES[family].name if family < len(FAMILIES) else None
        if names[family] != here:
            raise ModelFileError(
                f"its leaf family {family} is {reprlib.repr(names[family])}; "
                f"this version has {repr(here) if here else 'no such family'}"
            )
