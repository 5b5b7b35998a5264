import json

import pytest

from softlearn.experiments.cell import Cell, cell_of, row_of

CELL = Cell(dataset="nltcs", system="softlearn", clustering="kmeans", p=0.01, alpha=0.1, seed=3)


def test_a_cell_comes_back_from_its_row():
    written = json.loads(json.dumps(row_of(CELL, {"valid": -1.0})))
    assert cell_of(written) == CELL
    assert {"version", "date", "valid"} <= written.keys()


@pytest.mark.parametrize(
    ("system", "clustering"), [("learnspn", "em"), ("learnspn", "kmeans"), ("softlearn", "em")]
)
def test_where_beta_plays_no_part_it_tells_no_cells_apart(system, clustering):
    one, other = (
        Cell(dataset="nltcs", system=system, clustering=clustering, beta=beta)
        for beta in (20.0, 80.0)
    )
    assert one == other
    assert one.beta is None


def test_a_choice_that_a_row_does_not_name_had_its_default():
    older = {name: value for name, value in row_of(CELL, {}).items() if name != "deviation_floor"}
    assert cell_of(older) == CELL
