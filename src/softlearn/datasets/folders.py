"""The folders that are searched for data files: the caller's own, and the user's cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from softlearn.errors import SoftlearnError

DATA: Final = "SOFTLEARN_DATA"  # environment variable of a folder that is only read
CACHE: Final = "SOFTLEARN_CACHE"  # environment variable of the folder for downloaded files


def data_folder() -> Path | None:
    """Return the folder that ``SOFTLEARN_DATA`` names, if it names one."""
    chosen = os.environ.get(DATA)
    if not chosen:
        return None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise SoftlearnError(
            f"the environment variable {DATA} names {chosen!r}, which is not a folder; correct it, "
            "or unset it to have data fetched"
        )
    return folder


def cache_folder() -> Path:
    """Return the folder for fetched files: ``SOFTLEARN_CACHE``, or the system's usual place."""
    chosen = os.environ.get(CACHE)
    return Path(chosen).expanduser() if chosen else _usual_cache(sys.platform)


def _usual_cache(platform: str) -> Path:
    if platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "softlearn" / "Cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "softlearn"
    base = os.environ.get("XDG_CACHE_HOME")  # to be ignored unless absolute, says its standard
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / (
        "softlearn"
    )
