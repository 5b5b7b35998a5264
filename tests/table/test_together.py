"""Columns that are read many at a time have the cells that they have one by one."""

import numpy as np
import pandas as pd
import pytest

from softlearn.errors import TableError
from softlearn.table import Column, Schema, encode, infer_schema, together

N_ROWS, N_COLUMNS = 50, 12


def table(kind: str) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 2, (N_ROWS, N_COLUMNS))
    frame = pd.DataFrame(cells, columns=[f"c{i}" for i in range(N_COLUMNS)])
    if kind == "booleans":
        return frame.astype(bool)
    if kind == "numbers":
        return frame + rng.normal(size=frame.shape)
    if kind == "gaps":
        return frame.where(rng.random(frame.shape) < 0.7)
    if kind == "mixed":
        other = rng.normal(size=(N_ROWS, N_COLUMNS))
        wider = pd.DataFrame(other, columns=[f"x{i}" for i in range(N_COLUMNS)])
        return pd.concat([frame, wider, pd.DataFrame({"word": ["a", "b"] * 25})], axis=1)
    return frame


def one_by_one(monkeypatch, frame, schema, **how):
    with monkeypatch.context() as patched:
        patched.setattr(together, "_FEWEST", 10**9)
        return encode(frame, schema, **how)


@pytest.mark.parametrize("kind", ["booleans", "integers", "numbers", "gaps", "mixed"])
@pytest.mark.parametrize("missing", ["unobserved", "modelled"])
def test_cells_are_those_of_one_column_at_a_time(monkeypatch, kind, missing):
    frame = table(kind)
    schema = infer_schema(frame, missing=missing)
    shuffled = frame[sorted(frame.columns, reverse=True)]
    for rows in (frame, shuffled, frame[:0]):
        np.testing.assert_array_equal(encode(rows, schema), one_by_one(monkeypatch, rows, schema))
    if kind != "mixed":
        array = frame.to_numpy()
        np.testing.assert_array_equal(encode(array, schema), encode(frame, schema))


def test_a_cell_that_does_not_fit_is_named(monkeypatch):
    frame = table("integers")
    schema = infer_schema(frame)
    frame.loc[3, "c5"] = 2
    with pytest.raises(TableError) as found:
        encode(frame, schema)
    with pytest.raises(TableError) as expected:
        one_by_one(monkeypatch, frame, schema)
    assert str(found.value) == str(expected.value)
    assert np.isnan(encode(frame, schema, unknown="missing")[5, 3])


@pytest.mark.parametrize("cell", [0.5, np.inf, -1.0])
def test_halves_and_infinities_are_no_levels(cell):
    frame = table("integers").astype(float)
    schema = infer_schema(frame)
    frame.loc[3, "c5"] = cell
    with pytest.raises(TableError, match="c5"):
        encode(frame, schema)


def test_infinite_numbers_are_refused():
    frame = table("numbers")
    schema = Schema(tuple(Column(name, "numeric") for name in frame.columns))
    frame.loc[7, "c2"] = -np.inf
    with pytest.raises(TableError, match="'c2' holds -inf in row 7"):
        encode(frame, schema)
