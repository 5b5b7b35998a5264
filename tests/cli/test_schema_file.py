"""Schemas as TOML that people edit."""

from __future__ import annotations

import json
import tomllib
from datetime import datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softlearn import infer_schema, load
from softlearn.cli.schema_toml import choices_from_toml, schema_to_toml
from softlearn.errors import SchemaError
from softlearn.table import Column, Schema

# TOML is UTF-8, which cannot hold halves of surrogates.
text = st.text(st.characters(codec="utf-8"), max_size=8)
levels = st.one_of(
    st.lists(text, min_size=1, unique=True),
    st.lists(st.integers(-(2**53), 2**53), min_size=1, unique=True),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True),
)


@given(st.lists(st.tuples(text, st.none() | levels), min_size=1, unique_by=lambda pair: pair[0]))
def test_what_is_written_is_read_again(drawn):
    columns = tuple(
        Column(name, "numeric", reason="numbers")
        if known is None
        else Column(name, "categorical", tuple(known), reason="a\nreason")
        for name, known in drawn
    )
    found = choices_from_toml(schema_to_toml(Schema(columns)))
    assert not found.left_out
    assert list(found.overrides) == [name for name, _ in drawn]
    for column in columns:
        choice = found.overrides[column.name]
        if column.is_discrete:
            assert choice == Column(column.name, column.kind, column.levels)
        else:
            assert choice == {"kind": "numeric", "scale": "plain"}


def test_many_levels_take_few_lines():
    column = Column("postcode", "categorical", tuple(f"{i:05d}" for i in range(200)))
    written = schema_to_toml(Schema((column,)))
    lines = written.partition("levels = [\n")[2].splitlines()
    assert len(lines) < 25
    assert max(map(len, lines)) <= 88
    assert choices_from_toml(written).overrides == {"postcode": column}


def test_columns_with_scales_are_written_and_found_again():
    frame = pd.DataFrame(
        {
            "age": [0, 0, 0, 0, 0, 3, 70, 41, None, 22] * 9,
            "share": [0.25, 0.5, 0.75, None, 0.1] * 18,
            "day": pd.to_datetime(["2024-01-01", "2024-03-01", "2024-02-05"] * 30),
            "sort": ["a", None, "b"] * 30,
        }
    )
    choices = {
        "age": {"lower": 0, "upper": 120},
        "share": {"upper": 1.0, "missing": "modelled"},
        "day": {"lower": datetime(2024, 1, 1), "missing": "modelled"},
        "sort": {"missing": "modelled"},
    }
    schema = infer_schema(frame, overrides=choices)
    written = schema_to_toml(schema)
    found = choices_from_toml(written).overrides
    assert found["age"] == {"kind": "integer", "lower": 0, "upper": 120}
    assert found["share"] == {"kind": "numeric", "upper": 1.0, "missing": "modelled"}
    again = infer_schema(frame, overrides=found)
    for one, other in zip(schema, again, strict=True):
        assert (one.scale, one.levels, one.missing) == (other.scale, other.levels, other.missing)
    assert "# lower = 0\n" not in written  # said, and not only found


WRONG = {
    "x = 3": "the keys are kind, levels, use",
    "[x]\nkin = 'numeric'": "the keys are kind, levels, use",
    "[x]\nkind = 'number'": "unknown kind 'number'",
    "[x]\nlevels = [1]": "set kind to one of",
    "[x]\nkind = 'categorical'\nlevels = 'a'": "levels are a list",
    "[x]\nkind = 'categorical'\nlevels = ['a', 1]": "levels of one type",
    "[x]\nuse = 'no'": "use is true or false",
    "[x]\nscale = 'log'": "scale is 'plain' or left out",
    "[x]\nlower = 'low'": "lower takes numbers or times",
    "[x]\natoms = 3": "atoms are a list",
    "[x]\nscale = 'plain'\nstep = 1": "plain numbers have no step",
    "[x]\nmissing = 'gone'": "missing is one of",
    "[x]\nkind = 'categorical'\nlevels = ['a']\nlower = 1": "a column with levels has no lower",
    "[x": "not valid TOML",
}


@pytest.mark.parametrize("content", WRONG)
def test_what_makes_no_sense_is_explained(content):
    with pytest.raises(SchemaError, match=WRONG[content]):
        choices_from_toml(content)


def test_a_pipe_gets_toml(training_file, run):
    result = run("schema", training_file)
    found = tomllib.loads(result.stdout)
    assert found["age"] == {"kind": "integer"}
    assert found["sex"] == {"kind": "categorical", "levels": ["F", "M"]}
    assert "# text with 2 distinct values" in result.stdout


def test_an_edited_schema_is_learnt_with(training_file, run, tmp_path):
    schema, output = tmp_path / "columns.toml", tmp_path / "m.safetensors"
    assert run("schema", training_file, "-o", schema).exit_code == 0
    edited = schema.read_text(encoding="utf-8")
    edited = edited.replace(
        '[stage]\nkind = "integer"', '[stage]\nkind = "categorical"\nlevels = ["1", "2"]'
    )
    edited = edited.replace('"integer"', '"numeric"')
    edited = edited.replace('levels = ["F", "M"]', 'levels = ["M", "F", "X"]')
    edited = edited.replace("[weight]", "[weight]\nuse = false")
    schema.write_text(edited, encoding="utf-8")
    result = run("fit", training_file, "-o", output, "--schema", schema)
    assert result.exit_code == 0, result.stderr
    learnt = load(output).schema
    assert learnt["age"].kind == "numeric"
    assert learnt["sex"].levels == ("M", "F", "X")
    assert learnt["stage"].levels == ("1", "2")
    assert "weight" not in learnt.names


def test_a_model_has_a_schema_too(model_file, run):
    found = json.loads(run("schema", model_file, "--json").stdout)
    assert [column["name"] for column in found["columns"]][:2] == ["sex", "smoker"]


def test_a_schema_of_other_columns_is_refused(training_file, run, tmp_path):
    schema = tmp_path / "columns.toml"
    schema.write_text('[agee]\nkind = "numeric"\n', encoding="utf-8")
    result = run("schema", training_file, "--schema", schema)
    assert result.exit_code == 2
    assert "did you mean 'age'" in result.stderr
