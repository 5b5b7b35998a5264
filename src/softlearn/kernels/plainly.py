"""Whether kernels are compiled in this process, or run as the Python that they are.

To load Numba takes longer than to answer one question about a small circuit without it.
"""

from __future__ import annotations

_CHOSEN: list[str] = []  # what this process has decided


def answer_once() -> None:
    """Say that this process answers one question and ends."""
    _CHOSEN.append("once")


def question_is_small() -> None:
    """Leave kernels uncompiled that are loaded from now on, if this process answers one question.

    In a process that goes on, this does nothing: its next question may be large.
    """
    if "once" in _CHOSEN:
        _CHOSEN.append("plainly")


def is_plain() -> bool:
    """Return whether kernels are left as they are."""
    return "plainly" in _CHOSEN
