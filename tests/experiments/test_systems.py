"""The systems: settings are chosen on valid, test is read once, figures beside the published."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.datasets import DEBD_NAMES
from softlearn.errors import SoftlearnError
from softlearn.estimators import estimator_named
from softlearn.experiments import Choices
from softlearn.experiments.cell import Cell, cell_of, row_of
from softlearn.experiments.markdown import as_markdown
from softlearn.experiments.published import QUOTED, comparison
from softlearn.experiments.systems import cells, measured
from softlearn.experiments.systems_compared import COMPARED
from softlearn.experiments.systems_tables import difference, document, published
from softlearn.learn import LEARNERS


class Guarded:
    """Splits that note what is read; test rows differ from all others."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        group = rng.integers(2, size=(400, 1))
        rows = (rng.random((400, 5)) < 0.2 + 0.6 * group).astype(np.uint8)
        self.train, self._valid, self._test = rows[:200], rows[200:300], rows[300:]
        self.reads: list[str] = []

    @property
    def valid(self):
        self.reads.append("valid")
        return self._valid

    @property
    def test(self):
        self.reads.append("test")
        return self._test


@pytest.mark.parametrize("system", COMPARED)
def test_the_test_split_is_read_once_after_all_settings_were_tried(system):
    splits, cell = Guarded(), Cell(dataset="nltcs", system=system, max_rows=200)
    found = measured(cell, splits)
    n_settings = len(COMPARED[system].settings)
    assert splits.reads == [*["valid"] * n_settings, "test"]
    assert len(found["tried"]) == n_settings
    best = max(found["tried"], key=lambda one: one["valid"])
    assert found["valid"] == best["valid"]
    assert found["chosen"].items() <= best.items()
    assert cell_of(row_of(cell, found)) == cell  # a finished cell is known again


def test_the_scored_model_is_that_of_the_chosen_setting():
    splits = Guarded()
    found = measured(Cell(dataset="nltcs", system="cnet", max_rows=200), splits)
    learner = estimator_named("cutsetnetwork")(**found["chosen"], random_state=0)
    assert learner.fit(splits.train).score(splits.test) == pytest.approx(found["test"])


@pytest.mark.parametrize("system", COMPARED.values(), ids=COMPARED)
def test_all_settings_are_parameters_of_the_learner(system):
    parameters = LEARNERS[system.learner].parameters
    for setting in system.settings:
        for name, value in {**system.fixed, **setting}.items():
            assert parameters[name].rule.holds(value), name


def test_every_quoted_column_has_a_system():
    assert set(QUOTED) <= {system.published for system in COMPARED.values()}


def test_systems_and_sets_can_be_chosen():
    assert len(cells(Choices())) == len(DEBD_NAMES) * len(COMPARED)
    some = cells(Choices(only=("nltcs",), systems=("hclt", "cnet"), seeds=2))
    assert [(cell.system, cell.seed) for cell in some] == [
        ("cnet", 0),
        ("cnet", 1),
        ("hclt", 0),
        ("hclt", 1),
    ]
    with pytest.raises(SoftlearnError, match="there is no system 'spn'"):
        cells(Choices(systems=("spn",)))


def row(system, test, dataset="nltcs", **further):
    cell = Cell(dataset=dataset, system=system)
    setting = {"chosen": {}, "valid": test, "seconds": 1.0, "seconds_of_all": 2.0, "n_edges": 10}
    return row_of(cell, {"test": test, **setting, **further})


def test_ours_stand_beside_the_published_figures_and_are_counted():
    theirs = comparison()["nltcs"]["cnet"]
    assert published("nltcs", "cnet") == theirs
    assert published("nltcs", "random") is None
    rows = [row("cnet", 1.014 * theirs), row("cnet", 1.016 * comparison()["dna"]["cnet"], "dna")]
    text = as_markdown(document(rows))
    assert f"({theirs:.3f})" in text
    assert "| CNET | 0 of 2 | 1 of 2 |" in text


def test_better_is_positive():
    assert difference(-9.0, -10.0) == pytest.approx(0.1)
    assert difference(-11.0, -10.0) == pytest.approx(-0.1)
