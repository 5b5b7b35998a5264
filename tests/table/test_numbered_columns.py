"""Frames whose columns are whole numbers are read as text names and come back as they were."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from softlearn.errors import SchemaError
from softlearn.table import Column, Schema, decode, encode, fill, infer_schema

FRAME = pd.DataFrame([[1.5, "a"], [np.nan, "b"], [2.5, None]])
ODD = FRAME.set_axis([7, -2], axis=1)


@pytest.mark.parametrize("frame", [FRAME, ODD])
def test_numbers_are_names_and_come_back(frame):
    schema = infer_schema(frame)
    assert schema.numbered
    assert schema.names == tuple(map(str, frame.columns))
    pd.testing.assert_frame_equal(decode(encode(frame, schema), schema), frame)


def test_gaps_are_filled_under_the_numbers():
    values = np.array([[9.0, 9.0, 9.0], [1.0, 1.0, 1.0]])
    filled = fill(ODD, infer_schema(ODD), values)
    expected = pd.DataFrame({7: [1.5, 9.0, 2.5], -2: ["a", "b", "b"]})
    pd.testing.assert_frame_equal(filled, expected)
    assert ODD.isna().sum().tolist() == [1, 1]


def test_an_array_suits_a_numbered_schema_by_position():
    schema = infer_schema(pd.DataFrame(np.eye(3)))
    assert encode(np.eye(3), schema).tolist() == np.eye(3).tolist()


def test_numbers_survive_the_stored_form():
    schema = infer_schema(ODD)
    assert Schema.from_dict(schema.to_dict()) == schema
    assert "numbered" not in infer_schema(FRAME.rename(columns=str)).to_dict()


@pytest.mark.parametrize(
    ("name", "choices", "message"),
    [
        ("x", {"numbered": True}, "column 'x' is not named by a whole number"),
        ("01", {"numbered": True}, "column '01' is not named"),
        ("1", {"numbered": True, "frame": "polars"}, "only pandas frames have numbered columns"),
        ("1", {"numbered": "yes"}, "numbered must be True or False, not 'yes'"),
    ],
)
def test_a_schema_that_cannot_be_numbered_is_refused(name, choices, message):
    with pytest.raises(SchemaError, match=message):
        Schema((Column(name, "numeric"),), **choices)
