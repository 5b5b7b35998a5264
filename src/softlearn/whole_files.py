"""Write files atomically: they appear complete, or not at all."""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LEFT_BEHIND = re.compile(r"\.softlearn-[0-9a-f]{16}\.tmp")
_STALE = 86_400.0  # seconds after which no writer can still be at work on a temporary file


@contextmanager
def whole_file(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Lend a new path beside the target; what is written there moves over the target at the end.

    The name is new each time, so that two who write the same file do not write into one. Content
    is safely on disk before it replaces anything, and has the permissions of what it replaces. If
    nothing is written, or the block fails, the target stays as it is. The folder must exist. Only
    an ordinary file is ever replaced: a folder, a device or a pipe is refused. Files that nobody
    needs once the computer has stopped need not be durable: nobody waits for the disk.
    """
    _refuse_others(path)
    if durable:
        _remove_stale(path.parent)
    temporary = path.parent / f".softlearn-{secrets.token_hex(8)}.tmp"
    try:
        yield temporary
        if temporary.exists():
            if durable:
                _wait_for_disk(temporary)
            _refuse_others(path)  # it may have come in the meantime
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file, and its folder if there is none; text is written as UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def _wait_for_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _refuse_others(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise FileExistsError(0, "it is not an ordinary file, and is not replaced", str(path))


def _remove_stale(folder: Path) -> None:
    """Remove what writers left here that were killed more than a day ago."""
    with suppress(OSError):  # whose files they are, or who else removes them, does not matter
        for file in folder.glob(".softlearn-*.tmp"):
            is_old = file.lstat().st_mtime < time.time() - _STALE
            if is_old and _LEFT_BEHIND.fullmatch(file.name):
                file.unlink(missing_ok=True)
