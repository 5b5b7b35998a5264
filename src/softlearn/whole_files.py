"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Lend a new path beside the target; what is written there moves over the target at the end.

    The name is new each time, so that two who write the same file do not write into one. Content
    is safely on disk before it replaces anything. If nothing is written, or the block fails, the
    target stays as it is. The folder must exist.
    """
    temporary = path.parent / f".softlearn-{secrets.token_hex(8)}.tmp"
    try:
        yield temporary
        if temporary.exists():
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file, and its folder if there is none; text is written as UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
