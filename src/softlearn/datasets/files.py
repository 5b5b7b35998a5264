"""The files of a data set: found in a folder or downloaded, and verified before use."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from softlearn.datasets.folders import CACHE, DATA, cache_folder, data_folder
from softlearn.errors import SoftlearnError
from softlearn.whole_files import write_whole

Where: TypeAlias = Literal["local", "cache", "download", "absent"]

_ADVICE: Final = {
    "local": "replace the file, or remove it to have it fetched",
    "cache": "remove the file, and it is fetched again",
}
_ADVICE_WITHOUT_SOURCE: Final = "replace the file"


class Source(NamedTuple):
    """Where a file's content can be had: the address, for people, and how to get it."""

    address: str
    obtain: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One gzipped file, known by the checksum of what it holds.

    Attributes
    ----------
    path
        Its place below a data folder, such as ``debd/nltcs.train.data.gz``.
    sha256
        The checksum of the unpacked content: that of the packed file depends on who packed it.
    sources
        Where the content can be had, the best first; none if it must be brought by hand.
    difference
        Says in a few words what is wrong with content of another checksum.
    holds
        Says in a few words what a file that must be brought by hand has to hold.
    """

    path: str
    sha256: str
    sources: tuple[Source, ...]
    difference: Callable[[bytes], str]
    holds: str = "the expected content"


def find(file: DataFile) -> tuple[Where, Path]:
    """Return where a file is, and its path; a missing file has its future path in the cache."""
    folder = data_folder()
    if folder is not None and (folder / file.path).is_file():
        return "local", folder / file.path
    path = cache_folder() / file.path
    if path.is_file():
        return "cache", path
    return ("download" if file.sources else "absent"), path


def content_of(file: DataFile) -> bytes:
    """Return the verified content of a file, which is downloaded if it is missing."""
    where, path = find(file)
    if where == "absent":
        raise SoftlearnError(_what_to_bring(file, path))
    if where == "download":
        content = _fetched(file)
        _store(path, content)
        return content
    try:
        content = unpacked(path.read_bytes(), str(path))
    except OSError as error:
        raise SoftlearnError(f"{path} cannot be read: {error.strerror}") from error
    except SoftlearnError as error:
        raise SoftlearnError(f"{error}; {_advice(file, where)}") from error
    if not _is_sound(file, content):
        raise SoftlearnError(f"{path} {file.difference(content)}; {_advice(file, where)}")
    return content


def unpacked(packed: bytes, origin: str) -> bytes:
    """Return what gzipped bytes hold; ``origin`` says in an error where they are from."""
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise SoftlearnError(f"{origin} cannot be unpacked ({error})") from error


def other_checksum(content: bytes, expected: str) -> str:
    """Return the difference that remains when size and shape are right."""
    found = hashlib.sha256(content).hexdigest()
    return f"has the checksum {found[:12]}… instead of {expected[:12]}…: its cells differ"


def _advice(file: DataFile, where: Where) -> str:
    return _ADVICE[where] if file.sources else _ADVICE_WITHOUT_SOURCE


def _what_to_bring(file: DataFile, path: Path) -> str:
    return (
        f"{file.path} is not in the folder that the environment variable {DATA} names, nor in the "
        f"cache ({path}), and cannot be downloaded. Bring it to one of them: gzipped, and once "
        f"unpacked {file.holds}, with the SHA-256 {file.sha256}"
    )


def _is_sound(file: DataFile, content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == file.sha256


def _fetched(file: DataFile) -> bytes:
    """Download the content from the first source that has it."""
    failures = []
    for source in file.sources:
        try:
            content = source.obtain()
        except SoftlearnError as error:
            failures.append(str(error))
            continue
        if _is_sound(file, content):
            return content
        failures.append(f"{source.address} {file.difference(content)}")
    reasons = "".join(f"\n  - {failure}" for failure in failures)
    raise SoftlearnError(
        f"{file.path} cannot be fetched:{reasons}\nIf you have the file, let the environment "
        f"variable {DATA} name the folder that holds {file.path}"
    )


def _store(path: Path, content: bytes) -> None:
    """Write a file to the cache atomically."""
    try:
        write_whole(path, gzip.compress(content, mtime=0))
    except OSError as error:
        raise SoftlearnError(
            f"cannot write {path}: {error.strerror}; let the environment variable {CACHE} name a "
            "folder that can be written to"
        ) from error
