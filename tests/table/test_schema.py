"""Schemas say what they are, refuse what they cannot be, and survive JSON."""

from __future__ import annotations

import pytest

from softlearn.errors import SchemaError
from softlearn.table import Column, Schema

SEX = Column("sex", "categorical", ("F", "M"), "str", "text")
AGE = Column("age", "integer", (), "int64", "integers")
SMOKER = Column("smoker", "boolean", (0, 1), "int64")
PEOPLE = Schema((SEX, AGE, SMOKER), "pandas")


def changed(**changes):
    return {**PEOPLE.to_dict(), **changes}


def changed_column(**changes):
    return changed(columns=[{**SEX.to_dict(), **changes}])


def test_discrete_columns_know_their_levels():
    assert SEX.is_discrete
    assert SMOKER.is_discrete
    assert SEX.n_levels == 2


def test_continuous_columns_have_no_levels():
    assert not AGE.is_discrete
    assert AGE.n_levels == 0


def test_a_boolean_column_without_levels_has_false_and_true():
    assert Column("x", "boolean").levels == (False, True)


def test_columns_whose_levels_differ_only_in_type_are_different():
    whole = Column("x", "categorical", (0, 1))
    assert whole != Column("x", "categorical", (0.0, 1.0))
    assert whole != Column("x", "categorical", (False, True))
    assert whole == Column("x", "categorical", (0, 1))
    assert hash(whole) == hash(Column("x", "categorical", (0, 1)))


def test_a_schema_is_a_sequence_of_columns():
    assert len(PEOPLE) == 3
    assert list(PEOPLE) == [SEX, AGE, SMOKER]
    assert PEOPLE.names == ("sex", "age", "smoker")
    assert PEOPLE["age"] is PEOPLE[1] is AGE
    assert PEOPLE.index("smoker") == 2


def test_an_unknown_name_is_answered_with_the_closest_ones():
    with pytest.raises(SchemaError, match=r"no column 'agee'; did you mean 'age'\?"):
        PEOPLE.index("agee")


def test_an_unknown_name_unlike_all_others_is_answered_with_the_known_ones():
    with pytest.raises(SchemaError, match="no column 'zzzz'; known: 'sex', 'age', 'smoker'"):
        PEOPLE["zzzz"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, "numeric"), "name must be text, not 3"),
        (("x", "ordinal"), "column 'x' has the unknown kind 'ordinal'"),
        (("x", "categorical"), "column 'x' is categorical but has no levels"),
        (("x", "categorical", ["a"]), "column 'x' needs its levels as a tuple"),
        (("x", "categorical", ("a", "a")), "column 'x' has the level 'a' more than once"),
        (("x", "categorical", ("a", 1)), "column 'x' needs levels of one type"),
        (("x", "categorical", (True, 1)), "column 'x' needs levels of one type"),
        (("x", "categorical", (None,)), "column 'x' has the level None, which stands last"),
        (("x", "categorical", (float("nan"),)), "column 'x' has the level nan, .* not a finite"),
        (("x", "categorical", (2**53 + 1,)), "column 'x' has the level .* beyond 2"),
        (("x", "boolean", (0, 2)), r"column 'x' is boolean: levels \(False, True\) or \(0, 1\)"),
        (("x", "boolean", (0.0, 1.0)), "column 'x' is boolean"),
        (("x", "boolean", (True, False)), "column 'x' is boolean"),
        (("x", "numeric", (1.0,)), "column 'x' is numeric and takes no levels"),
        (("x", "numeric", (), None), "column 'x' needs text as dtype"),
        (("x", "numeric", (), "", 5), "column 'x' needs text as reason"),
    ],
)
def test_a_contradictory_column_is_refused(arguments, message):
    with pytest.raises(SchemaError, match=message):
        Column(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((),), "at least one column"),
        (([AGE],), "a tuple of at least one column"),
        (((AGE, "x"),), "made of Column objects, not 'x'"),
        (((AGE, SEX, AGE),), "column 'age' occurs more than once"),
        (((AGE,), "excel"), "frame must be one of pandas, polars, pyarrow, numpy, not 'excel'"),
    ],
)
def test_a_contradictory_schema_is_refused(arguments, message):
    with pytest.raises(SchemaError, match=message):
        Schema(*arguments)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "exactly the keys 'frame' and 'columns'"),
        (changed(version=1), "exactly the keys 'frame' and 'columns'"),
        (changed(columns={}), "columns are a list"),
        (changed(columns=[]), "at least one column"),
        (changed(columns=[3]), "column None: expected the keys .* got int"),
        (changed(frame=["pandas"]), "frame must be one of"),
        (changed(columns=[{"name": "sex"}]), "column 'sex': expected the keys .* got .'name'"),
        (changed_column(kind="ordinal"), "column 'sex' has the unknown kind 'ordinal'"),
        (changed_column(kind=["numeric"]), "column 'sex' has the unknown kind"),
        (changed_column(levels="FM"), "column 'sex': levels must be a list"),
        (changed_column(levels=["F", "F"]), "column 'sex' has the level 'F' more than once"),
        (changed_column(levels=[["F"], ["M"]]), "column 'sex' needs levels of one type"),
        (changed_column(name=7), "name must be text, not 7"),
        (changed_column(dtype=None), "column 'sex' needs text as dtype"),
    ],
)
def test_a_stored_schema_that_is_wrong_is_refused(data, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_dict(data)


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        (AGE, "numeric", ()),
        (SMOKER, "categorical", (0, 1)),
        (SMOKER, "integer", ()),
        (Column("rank", "categorical", (1, 2, 3), "int64"), "numeric", ()),
        (Column("flag", "categorical", (False, True), "bool"), "boolean", (False, True)),
    ],
)
def test_a_guess_can_be_overridden_by_a_kind(column, kind, levels):
    column = Schema((column,)).override({column.name: kind})[0]
    assert (column.kind, column.levels, column.reason) == (kind, levels, "chosen by the caller")


def test_a_guess_can_be_overridden_by_a_column_that_inherits_the_dtype():
    labels = Column("age", "categorical", (1, 2, 3))
    overridden = PEOPLE.override({"age": labels})["age"]
    assert overridden == Column("age", "categorical", (1, 2, 3), "int64", "chosen by the caller")


def test_overriding_leaves_the_old_schema_alone():
    PEOPLE.override({"age": "numeric"})
    assert PEOPLE["age"].kind == "integer"


@pytest.mark.parametrize(
    ("name", "choice", "message"),
    [
        ("aeg", "numeric", "no column 'aeg'; did you mean 'age'"),
        ("age", "categorical", "'age' is integer and cannot become categorical without its cells"),
        ("age", "datetime", "'age' is integer and cannot become datetime"),
        ("sex", "numeric", "'sex' is categorical and cannot become numeric"),
        ("sex", "boolean", "'sex' is categorical and cannot become boolean"),
        ("age", "ordinal", "'age' has the unknown kind 'ordinal'"),
        ("age", SEX, "column 'age' is overridden by a Column named 'sex'"),
    ],
)
def test_an_override_without_meaning_is_refused(name, choice, message):
    with pytest.raises(SchemaError, match=message):
        PEOPLE.override({name: choice})


def test_a_printed_schema_is_an_aligned_table():
    assert str(PEOPLE).splitlines() == [
        "3 columns, pandas",
        "name    kind         values         a score counts  dtype  reason",
        "sex     categorical  'F', 'M'       probability     str    text",
        "age     integer      plain numbers  density         int64  integers",
        "smoker  boolean      0, 1           probability     int64",
    ]


def test_a_printed_schema_shortens_long_lists_of_levels():
    many = Schema((Column("x", "categorical", tuple(f"level {i}" for i in range(100))),))
    assert "…" in str(many)
    assert len(str(many)) < 200
