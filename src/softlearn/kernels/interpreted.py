"""Decide whether kernels are compiled in this process, or run as plain Python.

Loading Numba takes longer than answering one question about a small circuit without it.
"""

from __future__ import annotations

_CHOSEN: list[str] = []  # the decisions of this process


def answer_once() -> None:
    """Declare that this process answers one question and ends."""
    _CHOSEN.append("once")


def question_is_small() -> None:
    """Do not compile kernels that are loaded from now on, if this process answers one question.

    In other processes this does nothing: the next question may be large.
    """
    if "once" in _CHOSEN:
        _CHOSEN.append("interpreted")


def is_interpreted() -> bool:
    """Return whether kernels are left as they are."""
    return "interpreted" in _CHOSEN
