"""A scale says what it is made of, comes back from its values, and refuses what is none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_scale import ATOMS, HALVES, LINE, WHOLE
from softlearn.errors import SchemaError
from softlearn.table.column import Column
from softlearn.table.find_scale import find_scale
from softlearn.table.scale import MOST_CELLS, Scale

GOOD = {
    "left": [0.0, 1.0],
    "right": [0.0, 4.0],
    "share": [0.25, 0.75],
    "atom": [True, False],
    "step": 1.0,
    "lower": 0.0,
    "upper": None,
    "missing_share": 0.1,
    "values": [1.0, 3.0],
    "stray": 0.25,
    "reason": "whole numbers",
}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_a_scale_comes_back_from_its_values(values):
    scale = find_scale(values)
    again = Scale.from_dict(json.loads(json.dumps(scale.to_dict())))
    assert again == scale
    assert again.to_dict() == scale.to_dict()


@pytest.mark.parametrize("scale", [WHOLE, ATOMS, HALVES, LINE])
def test_a_column_with_a_scale_comes_back_from_its_values(scale):
    kind = "integer" if scale in (WHOLE, ATOMS) else "numeric"
    for missing in ("unobserved", "modelled"):
        column = Column("x", kind, scale=scale, missing=missing)
        assert Column.from_dict(json.loads(json.dumps(column.to_dict()))) == column


def test_a_column_of_an_older_file_has_no_scale():
    stored = Column("x", "numeric").to_dict()
    del stored["scale"], stored["missing"]
    assert Column.from_dict(stored) == Column("x", "numeric")


def test_a_scale_prints_in_one_line():
    scale = find_scale(np.arange(500.0) % 37, whole=True)
    assert repr(scale) == f"Scale({scale.n_cells} cells: {scale.reason})"
    assert len(repr(scale)) < 100


def test_atoms_are_the_values_that_stand_out():
    assert Scale.from_dict(GOOD).atoms == (0.0,)
    assert Scale.from_dict(GOOD).n_cells == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"left": []}, "1 to 253 cells, each with all four numbers"),
        ({"left": [0.0]}, "each with all four numbers"),
        ({"left": "01"}, "left is a list"),
        ({"left": [0.0, "1"]}, "'1' where a number belongs"),
        ({"left": [0.0, True]}, "True where a number belongs"),
        ({"left": [0.0, None]}, "None where a number belongs"),
        ({"left": [0.0, float("nan")]}, "finite numbers"),
        ({"right": [0.0, float("inf")]}, "finite numbers"),
        ({"left": [0.0, 10**400]}, "a number belongs|finite numbers"),
        ({"left": [1.0, 0.0], "right": [1.0, 1.0]}, "ascending order"),
        ({"left": [0.0, -1.0]}, "ascending order"),
        ({"right": [0.0, 0.5]}, "from 1.0 to 0.5 is none"),
        ({"atom": [False, True]}, "no single atom"),
        ({"atom": [1, 0]}, "true or false"),
        ({"share": [0.5, 0.75]}, "add to 1.25, not 1"),
        ({"share": [-0.25, 1.25]}, "add to|negative"),
        ({"share": [float("nan"), 1.0]}, "finite numbers"),
        ({"step": -1.0}, "step is 0 or more"),
        ({"step": float("nan")}, "finite numbers"),
        ({"step": "1"}, "'1' where a number belongs"),
        ({"missing_share": 1.5}, "between 0 and 1"),
        ({"stray": -0.5}, "between 0 and 1"),
        ({"values": [3.0, 1.0]}, "ascending order, each once"),
        ({"values": [1.0, 1.0]}, "ascending order, each once"),
        ({"values": 1.0}, "values is a list"),
        ({"missing_share": float("nan")}, "between 0 and 1"),
        ({"lower": "0"}, "'0' where a number belongs"),
        ({"upper": float("inf")}, "finite numbers"),
        ({"reason": 3}, "reason is text"),
        ({"left": [0.0] * 300, "right": [0.0] * 300}, f"1 to {MOST_CELLS} cells"),
        ({"left": [0.0, 0.0], "right": [0.0, 0.0], "atom": [True, True]}, "do not overlap"),
        ({"left": [0.0, 0.0]}, "do not overlap"),
        ({"right": [0.0, 4.5]}, "whole number of steps"),
    ],
)
def test_what_is_no_scale_is_refused(change, said):
    with pytest.raises(SchemaError, match=said):
        Scale.from_dict(GOOD | change)


@pytest.mark.parametrize("data", [None, [], {}, {"left": []}, GOOD | {"more": 1}])
def test_other_values_are_refused(data):
    with pytest.raises(SchemaError, match="exactly the keys"):
        Scale.from_dict(data)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"kind": "categorical", "levels": ("a",), "scale": WHOLE}, "takes no scale"),
        ({"kind": "integer", "scale": HALVES}, "step of its scale is a whole number"),
        ({"kind": "integer", "scale": LINE}, "step of its scale is a whole number"),
        ({"kind": "numeric", "missing": "modelled"}, "needs a scale"),
        ({"kind": "numeric", "missing": "often"}, "known are unobserved, modelled"),
        ({"kind": "numeric", "scale": {}}, "needs a Scale"),
    ],
)
def test_a_column_and_its_scale_must_agree(arguments, said):
    with pytest.raises(SchemaError, match=said):
        Column("x", **arguments)
