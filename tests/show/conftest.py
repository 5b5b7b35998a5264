"""Plots are drawn without a screen, and every test leaves matplotlib as it found it."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _matplotlib_is_left_alone() -> Iterator[None]:
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before, "a plot changed matplotlib's settings for everybody"
    plt.close("all")
