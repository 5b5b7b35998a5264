import numpy as np
import pytest

from experiments.tiny_cells import row
from softlearn.datasets import Mixed, worlds
from softlearn.experiments import mixed
from softlearn.experiments.cell import Cell
from softlearn.experiments.choices import Choices
from softlearn.experiments.fitting import fit_with_floor
from softlearn.experiments.markdown import as_markdown
from softlearn.experiments.settings import FLOORS
from softlearn.table import infer_schema

NUMBERS = {"age": "numeric", "income": "numeric", "km": "numeric", "people": "numeric"}


@pytest.fixture(scope="module")
def table():
    frame = worlds.households().sample(250, random_state=0)
    frame = frame.astype(dict.fromkeys(NUMBERS, float))
    return Mixed(frame, infer_schema(frame, overrides=NUMBERS), "car")


@pytest.fixture(scope="module")
def plain(table):
    return mixed.plain(table.schema)


def test_the_paper_has_648_cells():
    """Six sets, three learners, two clusterings, two settings, nine seeds."""
    cells = mixed.cells(Choices())
    assert len(cells) == len(set(cells)) == 6 * 3 * 2 * 2 * 9


def test_a_split_depends_on_the_seed_alone_and_loses_no_row(table):
    train, test = mixed.split(table.frame, 3)
    again = mixed.split(table.frame, 3)
    assert train.index.tolist() == again.train.index.tolist()
    assert train.index.tolist() != mixed.split(table.frame, 4).train.index.tolist()
    assert sorted([*train.index, *test.index]) == list(range(250))
    assert len(test) == 50


@pytest.mark.parametrize("system", ["learnspn", "softlearn"])
@pytest.mark.parametrize("floor", [1.0, 0.01])
def test_standardised_columns_give_the_standardised_score(table, plain, system, floor):
    """The law behind the module's docstring: learn in other units, and compare.

    Other numbers put rows in another order, so clusterings start from other rows: hence 0.01.
    """
    cell = Cell(dataset="households", system=system, deviation_floor=floor, seed=1)
    train, test = mixed.split(table.frame, 1)
    ours = fit_with_floor(cell, train, plain).model.score(test)
    names = list(NUMBERS)
    centre, deviation = train[names].mean(), train[names].std(ddof=0)
    scaled = [part.copy() for part in (train, test)]
    for part in scaled:
        part[names] = (part[names] - centre) / deviation
    theirs = fit_with_floor(cell, scaled[0], plain).model.score(scaled[1])
    assert ours + mixed.log_units(train, table) == pytest.approx(theirs, abs=0.01)


def test_a_floor_of_one_keeps_leaves_as_wide_as_their_columns(table, plain):
    cell = Cell(dataset="households", system="softlearn", deviation_floor=1.0)
    model = fit_with_floor(cell, table.frame, plain).model
    given = model.distribution("km", given={"car": "none"})
    assert given.std >= table.frame["km"].std(ddof=0) * (1 - 1e-9)


@pytest.fixture
def households(table, monkeypatch):
    """The table as a data set of that name."""
    monkeypatch.setattr(mixed, "load_mixed", lambda name: table)
    mixed._table.cache_clear()
    yield
    mixed._table.cache_clear()


@pytest.mark.usefixtures("households")
def test_a_measured_cell_has_both_units(table):
    found = mixed.measure(Cell(dataset="households", system="softlearn", deviation_floor=1.0))
    train, _ = mixed.split(table.frame, 0)
    spreads = train[list(NUMBERS)].std(ddof=0).to_numpy()
    assert found["test"] - found["test_raw"] == pytest.approx(np.log(spreads).sum())


@pytest.mark.usefixtures("households")
def test_in_our_setting_the_score_is_that_of_columns_with_scales(table):
    cell = Cell(dataset="households", system="softlearn", deviation_floor=None)
    train, test = mixed.split(table.frame, 0)
    schema = mixed.with_scales(table.schema, train)
    assert all(column.is_discrete or column.scale is not None for column in schema)
    assert schema["km"].scale == infer_schema(train)["km"].scale
    found = mixed.measure(cell)
    assert (
        found["test"] == found["test_raw"] == fit_with_floor(cell, train, schema).model.score(test)
    )


def test_early_is_told_from_full_and_wins_are_counted():
    def made(system, test, **further):
        return [
            row(
                "cmc",
                system,
                valid=None,
                test=test,
                test_raw=test,
                deviation_floor=floor,
                **further,
            )
            for floor in FLOORS.values()
        ]

    rows = [*made("learnspn", -10.0), *made("softlearn", -9.0)]
    rows += made("softlearn", -11.0, max_iter=2)
    page = as_markdown(mixed.document(rows))
    assert "| SoftLearn better than LearnSPN, ours | 1 of 1 (0 lost, 0 tied)" in page
    assert "| Early SoftLearn better than LearnSPN, ours | 0 of 1 (1 lost, 0 tied)" in page
    assert "| cmc | -10.000 | -9.850 | -9.000 | -9.811 | -11.000 | -9.838 |" in page
