"""What the demo finds agrees with the truth that its world has."""

from __future__ import annotations

import numpy as np
import pytest

from softlearn.datasets import worlds
from softlearn.demo import findings
from softlearn.demo.tables import LOST_SHARE, drawn, lossy
from softlearn.estimators import SoftLearn

TRUTH = worlds.households()


@pytest.fixture(scope="module")
def rows():
    return lossy(TRUTH, seed=0)


@pytest.fixture(scope="module")
def model(rows):
    return SoftLearn(random_state=0).fit(rows.table).model_


def test_lost_cells_are_missing_and_the_others_are_kept(rows):
    assert (rows.table.isna().to_numpy() == rows.lost).all()
    kept = rows.full.where(~rows.lost)
    assert kept.equals(rows.table)
    assert rows.lost.mean() == pytest.approx(LOST_SHARE, abs=0.02)


def test_the_world_has_cells_of_every_kind_but_times():
    assert {column.kind for column in TRUTH.schema} == {
        "boolean",
        "categorical",
        "integer",
        "numeric",
    }


@pytest.mark.parametrize(("n_rows", "gap"), [*zip(findings.SIZES, (1.0, 0.2), strict=True)])
def test_both_learners_come_near_the_truth_and_none_passes_it(n_rows, gap):
    found = findings.compare(TRUTH, n_rows)
    assert found.fresh[findings.TRUTH] == TRUTH.score(drawn(TRUTH, 2000, 100))
    for learner in ("LearnSPN", "SoftLearn"):
        assert 0.0 < found.behind(learner) < gap
    assert found.behind(findings.ALONE) > 2.0
    assert 0 <= found.softlearn_nearer <= found.tables


def test_answers_are_distributions_and_the_true_ones_are_the_worlds_own(model):
    found = findings.ask(model, TRUTH)
    for which in ("before", "learnt", "true"):
        assert sum(getattr(one, which) for one in found) == pytest.approx(1.0)
    given = TRUTH.distribution(findings.ASKED, given=findings.KNOWN)
    assert {one.level: one.true for one in found} == pytest.approx(dict(given.items()))
    assert all(abs(one.learnt - one.true) < 0.15 for one in found)


def test_the_circuit_fills_better_than_columns_alone(model, rows):
    found = findings.fill(model, rows)
    assert [one.column for one in found] == list(rows.table.columns)
    assert sum(one.cells for one in found) == rows.lost.sum()
    assert {one.column for one in found if one.counts_right} == {"place", "owns", "car"}
    for one in found:
        assert one.learnt > one.guess if one.counts_right else one.learnt < one.guess


def test_the_guess_from_a_column_is_its_best_constant(model, rows):
    """The mean has the least square error, and the most frequent level the most hits."""
    km = next(one for one in findings.fill(model, rows) if one.column == "km")
    lost = rows.lost[:, list(rows.full.columns).index("km")]
    truth = rows.full["km"][lost].to_numpy(dtype=float)
    guess = rows.table["km"].mean()
    assert km.guess == pytest.approx(np.sqrt(np.mean((guess - truth) ** 2)))


def test_every_cell_of_the_planted_row_is_ordinary_by_itself():
    for name, value in findings.PLANTED.items():
        column = TRUTH.schema[name]
        event = {name: value if column.is_discrete else (0.95 * value, 1.05 * value)}
        assert TRUTH.probability(event) > 0.01, name


def test_the_planted_row_is_found_and_its_income_is_to_blame(rows):
    found = findings.spot(TRUTH, rows.table)
    assert found.place == 1
    assert next(iter(found.why)) == "income"
    assert set(found.why) == set(findings.PLANTED)
    assert list(found.why.values()) == sorted(found.why.values(), reverse=True)
