"""Small text files that appear whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path


def write_whole(path: Path, content: str) -> None:
    """Write beside the target, then move over it in one step."""
    temporary = path.parent / f".softlearn-{secrets.token_hex(8)}.tmp"
    try:
        temporary.write_text(content, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
