"""What a caller may say of a column, and what is said back when it makes no sense."""

import pytest

from plain_scale import WHOLE
from softlearn.errors import SchemaError
from softlearn.table.choice import Chosen, chosen_later, read_choice
from softlearn.table.column import Column
from softlearn.table.find_scale import Choices


def test_nothing_a_kind_and_a_column_are_taken_as_they_are():
    column = Column("x", "numeric")
    assert read_choice("x", None) == Chosen()
    assert read_choice("x", "integer") == Chosen("integer")
    assert read_choice("x", column).kind is column


def test_a_mapping_tells_kind_scale_bounds_atoms_and_missing():
    choice = {"kind": "integer", "lower": 0, "upper": 9, "step": 1, "atoms": {3, 0}}
    found = read_choice("x", choice | {"missing": "modelled"})
    assert found.kind == "integer"
    assert found.scale == Choices(1.0, 0.0, 9.0, (0.0, 3.0))
    assert found.missing == "modelled"
    assert not found.is_plain
    assert read_choice("x", {"scale": "plain"}) == Chosen(is_plain=True)
    assert read_choice("x", {"atoms": []}).scale == Choices(atoms=())


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (3, "not a int"),
        ({"bounds": (0, 1)}, "unknown 'bounds'; known: kind, scale, atoms, lower, step, upper"),
        ({"kind": 3}, "a kind is text, not 3"),
        ({"scale": "log"}, "scale is 'plain' or left out, not 'log'"),
        ({"missing": "often"}, "missing is one of unobserved, modelled"),
        ({"scale": "plain", "lower": 0}, "plain numbers have no lower"),
        ({"scale": "plain", "missing": "modelled"}, "cannot be modelled"),
        ({"lower": "0"}, "lower takes numbers or times, not '0'"),
        ({"lower": True}, "lower takes numbers or times, not True"),
        ({"lower": None}, "lower takes numbers or times, not None"),
        ({"atoms": 3}, "atoms are a list of numbers, not 3"),
        ({"atoms": [1, "2"]}, "atoms takes numbers or times, not '2'"),
        ({"lower": float("nan")}, "lower takes finite numbers, not nan"),
        ({"upper": float("inf")}, "upper takes finite numbers, not inf"),
        ({"atoms": [float("nan")]}, "atoms takes finite numbers, not nan"),
        ({"step": -1.0}, "step is 0 or more, not -1"),
        ({"lower": 2, "upper": 1}, "the lower bound 2 lies above the upper bound 1"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused_by_column(choice, said):
    with pytest.raises(SchemaError, match=f"column 'x': .*{said}"):
        read_choice("x", choice)


def test_a_column_can_lose_its_scale_later():
    column = Column("x", "integer", scale=WHOLE)
    assert chosen_later(column, {"scale": "plain"}) == Column("x", "integer")
    kept = chosen_later(column, {"kind": "numeric"})
    assert (kept.kind, kept.scale) == ("numeric", WHOLE)


@pytest.mark.parametrize("choice", [{"lower": 0}, {"missing": "modelled"}, {"atoms": [1]}])
def test_what_needs_the_cells_is_refused_later(choice):
    with pytest.raises(SchemaError, match="its cells are needed"):
        chosen_later(Column("x", "integer", scale=WHOLE), choice)
