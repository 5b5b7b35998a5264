"""The records: the test split is read once, when the model is final; figures beside the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softlearn.datasets import DEBD_NAMES
from softlearn.estimators import AutoCircuit
from softlearn.experiments import Choices
from softlearn.experiments.cell import Cell, cell_of, row_of
from softlearn.experiments.markdown import as_markdown
from softlearn.experiments.published import records
from softlearn.experiments.records import SECONDS, SEEDS, cells, document, measured, reached


class Guarded:
    """Splits whose test rows are given out only when the search has ended."""

    def __init__(self) -> None:
        rows = (np.random.default_rng(0).random((300, 4)) < 0.3).astype(np.uint8)
        self.train, self.valid, self._test = rows[:100], rows[100:200], rows[200:]
        self.is_final, self.n_reads = False, 0

    @property
    def test(self):
        assert self.is_final, "test rows were read before the model was final"
        self.n_reads += 1
        return self._test


@pytest.fixture
def splits(monkeypatch):
    guarded, fit = Guarded(), AutoCircuit.fit

    def watched(self, *args, **further):
        self.set_params(time_budget=None, max_fits=4, learners=["softlearn"])
        fit(self, *args, **further)
        guarded.is_final = True
        return self

    monkeypatch.setattr(AutoCircuit, "fit", watched)
    return guarded


def test_the_test_split_is_read_once_when_the_model_is_final(splits):
    cell = Cell(dataset="nltcs", system="auto", time_budget=1.0)
    found = measured(cell, splits)
    assert splits.n_reads == 1
    assert np.isfinite(found["test"])
    assert found["members"] >= 1
    assert cell_of(row_of(cell, found)) == cell  # a finished cell is known again


def test_every_set_has_the_same_call():
    found = cells(Choices())
    assert len(found) == len(DEBD_NAMES) * SEEDS
    assert {cell.time_budget for cell in found} == {SECONDS}
    assert len({replace(cell, dataset="", seed=0) for cell in found}) == 1


def test_every_set_has_a_published_figure():
    assert set(records()) == set(DEBD_NAMES)


def test_figures_are_compared_to_the_decimals_that_were_printed():
    record = records()["nltcs"]
    assert reached(record.tractable - 0.004, record)
    assert not reached(record.tractable - 0.006, record)


def test_the_document_shows_ours_beside_the_best():
    rows = [
        row_of(
            Cell(dataset="nltcs", system="auto", time_budget=20.0, seed=seed),
            {
                "test": -5.9 - seed / 10,
                "test_error": 0.05,
                "seconds": 21.0,
                "cpu_seconds": 20.0,
                "members": 12,
                "nodes": 1000,
                "rows_per_second": 1e5,
            },
        )
        for seed in range(2)
    ]
    found = document(rows)
    text = as_markdown(found)
    assert "**-5.950 ± 0.071**" in text
    assert "on 1 of 1 sets" in text
    assert "1 of the 20 sets, seeds 0, 1." in text
    assert found.pictures[0].png().startswith(b"\x89PNG")
