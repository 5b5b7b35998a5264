"""Progress in a notebook: one line of output that is updated in place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeAlias

Line: TypeAlias = Callable[[str], None]  # replaces the shown text

_EVERY = 0.2  # seconds between updates of the line


def in_notebook() -> bool:
    """Return whether Python runs in a notebook, where a cell can show progress."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def notebook_line() -> Iterator[Line]:
    """Yield a function that shows a line; it is gone when the work is done."""
    from IPython.display import display  # noqa: PLC0415 - only notebooks have it

    handle: Any = None
    shown = -_EVERY

    def show(text: str) -> None:
        nonlocal handle, shown
        if monotonic() - shown < _EVERY:
            return
        shown, content = monotonic(), {"text/plain": text}
        if handle is None:
            handle = display(content, raw=True, display_id=True)
        else:
            handle.update(content, raw=True)

    try:
        yield show
    finally:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)
