"""Progress behind a notebook, where standard error is no terminal."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from softlearn import SoftLearn
from softlearn.estimators import notebook
from softlearn.estimators.progress import progress_bar


class ZMQInteractiveShell:
    """What IPython calls the shell of a notebook."""


@pytest.fixture
def outputs(monkeypatch) -> list[str]:
    """Every version of the line that a notebook would show."""
    shown: list[str] = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        Handle().update(content, raw)
        return Handle()

    package, module = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython, module.display = ZMQInteractiveShell, display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(notebook, "_EVERY", 0.0)
    return shown


def test_learning_shows_how_far_it_is_and_leaves_nothing(outputs):
    table = np.random.default_rng(0).normal(size=(300, 3))
    SoftLearn(random_state=0, verbose=1).fit(table)
    assert any("100%" in text and "nodes" in text for text in outputs)
    assert outputs[-1] == ""


def test_steps_are_counted(outputs):
    with progress_bar("trial", 2, 1) as advance:
        advance()
        advance()
    assert outputs == ["trial 1 of 2", "trial 2 of 2", ""]


def test_who_asks_for_no_progress_sees_none(outputs):
    SoftLearn(random_state=0).fit(np.random.default_rng(0).normal(size=(50, 2)))
    assert outputs == []
