"""What all plots promise: axes back, the caller's figures only, words for mistakes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from model_examples import LIBRARIES, NUMBERS, in_library, patients
from softlearn import Categorical, Gaussian, Model, SoftLearn, SoftlearnError, show
from softlearn.circuit import Product
from softlearn.errors import MissingDependencyError, UnknownLevelError
from softlearn.show import plots

ROWS = NUMBERS.sample(60, random_state=0)
RESULTS = [{"dataset": "d", "system": name, "value": value} for name, value in (("a", 1), ("b", 2))]
COMPARED = [
    {"learner": "A", "held_out": -2.0, "error": 0.1, "fit_seconds": 0.5, "edges": 1000},
    {"learner": "B", "held_out": -2.5, "error": 0.1, "fit_seconds": 12.5, "edges": 20},
    {"learner": "C", "held_out": np.nan, "error": np.nan, "fit_seconds": np.nan, "edges": 0},
]
SEARCHED = SimpleNamespace(
    table=[
        {"stage": "search", "finished_at": 1.0, "score": -3.0, "best": -3.0},
        {"stage": "search", "finished_at": 1.5, "score": np.nan, "best": -3.0},
        {"stage": "member", "finished_at": 2.0, "score": -4.0, "best": -2.5},
    ]
)

# Every plot, called on NUMBERS and a table of it, with what else it is given.
PLOTS: dict[str, Callable[..., object]] = {
    "calibration": lambda frame, **to: plots.calibration(NUMBERS, frame, {"flag": 1}, **to),
    "comparison": lambda _, **to: plots.comparison(RESULTS, **to),
    "conditional": lambda _, **to: plots.conditional(NUMBERS, "flag", "x", **to),
    "learners": lambda _, **to: plots.learners(COMPARED, **to),
    "likelihoods": lambda frame, **to: plots.likelihoods(NUMBERS, frame, **to),
    "marginals": lambda frame, **to: plots.marginals(NUMBERS, frame, **to),
    "pairs": lambda frame, **to: plots.pairs(NUMBERS, frame, **to),
    "search": lambda _, **to: plots.search(SEARCHED, **to),
    "structure": lambda _, **to: plots.structure(NUMBERS, **to),
}
GRIDS = {"marginals": (3,), "pairs": (3, 3)}
WITH_ROWS = ("calibration", "likelihoods", "marginals", "pairs")


def drawn(axes: object) -> list[Axes]:
    """The axes as a list, after everything on them was really painted."""
    found = np.asarray(axes, dtype=object).ravel().tolist()
    found[0].figure.canvas.draw()
    return found


def test_every_plot_is_tried_here():
    assert set(PLOTS) == set(plots.__all__)


def crowded() -> Model:
    """Long and many names, wide numbers, times: what makes ticks collide."""
    levels = {"common": 0.48} | {f"a quite long level {i}": 0.04 for i in range(13)}
    parts = [
        Gaussian("x", at, 4000)
        * Gaussian("y", at, 9)
        * Gaussian("z", 0, 1)
        * Categorical("long level names", levels)
        for at in (-1e6, 1e9)
    ]
    return Model(0.5 * parts[0] + 0.5 * parts[1])


@pytest.mark.parametrize(
    "draw",
    [
        *PLOTS.values(),
        lambda _: plots.marginals(crowded()),
        lambda _: plots.pairs(crowded()),
        lambda _: plots.pairs(patients(), patients().sample(50, random_state=0)),
        lambda _: plots.conditional(crowded(), "x", "long level names"),
        lambda _: plots.conditional(crowded(), "x", "y"),
    ],
)
def test_ticks_do_not_collide(draw):
    for ax in drawn(draw(ROWS)):
        upright = [label.get_window_extent() for label in ax.get_xticklabels() if is_level(label)]
        boxes = sorted((box.x0, box.x1) for box in upright)
        assert all(end + 2 < start for (_, end), (start, _) in pairwise(boxes))
        boxes = [label.get_window_extent() for label in ax.get_yticklabels() if label.get_text()]
        boxes = sorted((box.y0, box.y1) for box in boxes)
        assert all(end < start for (_, end), (start, _) in pairwise(boxes))


def is_level(label) -> bool:
    """Turned labels have boxes that overlap, and letters that do not."""
    return bool(label.get_text()) and label.get_visible() and label.get_rotation() == 0


def test_the_room_is_found_from_the_top():
    assert show.plots is plots


@pytest.mark.parametrize("name", PLOTS)
def test_a_new_figure_belongs_to_the_caller(name):
    axes = PLOTS[name](ROWS)
    assert all(isinstance(ax, Axes) for ax in drawn(axes))
    assert [plt.figure(number) for number in plt.get_fignums()] == [drawn(axes)[0].figure]
    if name in GRIDS:
        assert axes.shape == GRIDS[name]


@pytest.mark.parametrize("name", PLOTS)
def test_the_callers_axes_are_used_and_nothing_else_is_opened(name):
    figure, axes = plt.subplots(*GRIDS.get(name, (1, 1)), figsize=(12, 12))
    other = plt.figure()
    wanted = {"axes": axes} if name in GRIDS else {"ax": axes}
    back = PLOTS[name](ROWS, **wanted)
    assert drawn(back) == np.ravel(axes).tolist()
    assert len(plt.get_fignums()) == 2
    assert plt.gcf() is other
    plt.close(figure)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", WITH_ROWS)
def test_tables_of_every_library_with_missing_cells(name, library):
    drawn(PLOTS[name](in_library(library)))


@pytest.mark.parametrize("name", WITH_ROWS)
def test_levels_that_the_model_has_never_seen_are_refused_or_missing(name):
    rows = ROWS.assign(flag=[7, *ROWS["flag"][1:]])
    with pytest.raises(UnknownLevelError, match="'flag' holds 7"):
        PLOTS[name](rows)
    assert plt.get_fignums() == []
    drawn(PLOTS[name](rows, unknown="missing"))


@pytest.mark.parametrize("name", PLOTS)
def test_without_matplotlib_the_message_says_how_to_get_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "softlearn\[plot\]"'):
        PLOTS[name](ROWS)


@pytest.mark.parametrize(
    "name", [name for name in PLOTS if name not in ("comparison", "learners", "search")]
)
def test_an_estimator_is_refused_and_leaves_no_figure(name):
    extra = {"calibration": (ROWS, {}), "conditional": ("a", "b"), "likelihoods": (ROWS,)}
    estimator = SoftLearn().fit(ROWS)
    with pytest.raises(SoftlearnError, match="pass its model_"):
        getattr(plots, name)(estimator, *extra.get(name, ()))
    assert plt.get_fignums() == []


def test_a_search_is_drawn_from_its_report():
    with pytest.raises(SoftlearnError, match="pass the report_"):
        plots.search(SoftLearn().fit(ROWS))
    (ax,) = drawn(plots.search(SEARCHED))
    best = ax.get_lines()[-1]
    assert best.get_xdata().tolist() == [1.0, 1.5, 2.0]
    assert best.get_ydata().tolist() == [-3.0, -3.0, -2.5]


@pytest.mark.parametrize("name", ["marginals", "pairs"])
def test_unknown_and_repeated_columns_leave_no_figure(name):
    for columns, reason in (
        (["z"], "'z'"),
        (["x", "x"], "more than once"),
        ("x", r"\['x'\]"),
        ([], "at least one"),
    ):
        with pytest.raises(SoftlearnError, match=reason):
            getattr(plots, name)(NUMBERS, None, columns)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", ["marginals", "pairs"])
def test_too_few_axes_are_refused(name):
    axes = plt.figure().subplots(1, 2)
    with pytest.raises(SoftlearnError, match="axes holds 2 axes"):
        getattr(plots, name)(NUMBERS, axes=axes)


def test_names_are_never_read_as_formulas():
    """Between dollar signs matplotlib would look for a formula, and fail while drawing."""
    odd, money = "$_{$ a", "_ $\\frac$ "
    model = Model(
        0.5 * Categorical(odd, {money: 0.9, "b": 0.1}) * Gaussian(money, 0, 1)
        + 0.5 * Categorical(odd, {money: 0.1, "b": 0.9}) * Gaussian(money, 5, 1)
    )
    rows = model.sample(20, random_state=0)
    for axes in (
        plots.marginals(model, rows),
        plots.pairs(model),
        plots.conditional(model, odd, money),
        plots.conditional(model, money, odd, {}),
        plots.calibration(model, rows, {odd: money}),
        plots.structure(model),
        plots.comparison([{"dataset": odd, "system": money, "value": 1.0}], money),
    ):
        drawn(axes)


def constant_table() -> pd.DataFrame:
    return pd.DataFrame({"a": ["same"] * 30, "b": [2.5] * 30, "c": [7] * 30, "d": [True] * 30})


def test_constant_columns_can_be_drawn():
    rows = constant_table()
    model = SoftLearn(random_state=0).fit(rows).model_
    drawn(plots.marginals(model, rows))
    drawn(plots.pairs(model, rows))
    drawn(plots.conditional(model, "a", "b"))
    drawn(plots.conditional(model, "b", "a"))
    drawn(plots.likelihoods(model, rows))
    drawn(plots.calibration(model, rows, {"a": "same"}))
    drawn(plots.structure(model))


@pytest.mark.parametrize("leaf", [Gaussian("x", 3, 1), Categorical("x", {"a": 0.5, "b": 0.5})])
def test_one_column_can_be_drawn(leaf):
    model = Model(leaf)
    rows = model.sample(20, random_state=0)
    for axes in (
        plots.marginals(model, rows),
        plots.pairs(model, rows),
        plots.likelihoods(model, rows),
        plots.structure(model),
    ):
        drawn(axes)


def test_times_are_drawn_as_dates():
    model = patients()
    rows = model.sample(50, random_state=0)
    (ax,) = plots.marginals(model, rows, ["joined"])
    drawn(ax)
    assert {"Jul", "Oct"} <= {label.get_text() for label in ax.get_xticklabels()}
    grid = plots.pairs(model, rows, ["joined", "stage", "age"])
    drawn(grid)
    drawn(plots.conditional(model, "joined", "age"))
    ax = plots.conditional(model, "stage", "joined")
    low, high = ax.get_xlim()  # days since 1970
    assert 19_000 < low < high < 20_000


def test_three_hundred_columns_are_cut_to_what_can_be_read():
    names = [f"c{i}" for i in range(300)]
    model = Model(Product(tuple(Categorical(name, {0: 0.5, 1: 0.5}) for name in names)))
    axes = plots.marginals(model)
    assert axes.shape == (60,)
    assert "240 more columns" in axes[0].figure.get_supxlabel()
    assert plots.pairs(model).shape == (5, 5)
    assert "+2" in " ".join(text.get_text() for text in plots.structure(model).texts)
