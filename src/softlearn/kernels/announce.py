"""Tell the user that kernels are being compiled, and where they are cached."""

from __future__ import annotations

import sys
from pathlib import Path

from numba.core.caching import FunctionCache

_SAID: list[str] = []  # messages that this process has printed


def announce() -> None:
    """Print a note on standard error, once, in a terminal or a notebook."""
    if _SAID:
        return
    cache = cache_folder()
    keeping = f"kept in {cache}" if cache else "no folder can be written to, so it is not kept"
    often = "once per installation" if cache else "in each process"
    _SAID.append(f"softlearn: compiling, {often}; usually half a minute in all ({keeping})")
    if sys.stderr.isatty() or hasattr(sys, "ps1"):  # IPython sets ps1 in notebooks too
        sys.stderr.write(_SAID[-1] + "\n")
        sys.stderr.flush()


def cache_folder() -> Path | None:
    """Return the folder of Numba's cache; None if it finds none."""
    try:
        return Path(FunctionCache(announce).cache_path)
    except RuntimeError:
        return None
