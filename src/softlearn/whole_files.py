"""Files that appear whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes | str) -> None:
    """Write beside the target, then move over it in one step; text is written as UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".softlearn-{secrets.token_hex(8)}.tmp"
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
