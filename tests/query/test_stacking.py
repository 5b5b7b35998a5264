"""Rows of evidence that were known one by one, asked together."""

from __future__ import annotations

import numpy as np
import pytest

from model_examples import patients
from softlearn.errors import EvidenceError
from softlearn.leaf import Listed
from softlearn.model.asking import as_condition
from softlearn.query import Evidence, log_likelihood, posteriors
from softlearn.query.stacking import stack

SAID = [
    {},
    {"age": (30, 40)},
    {"sex": {"F"}, "age": (None, 50)},
    {"stage": 4, "weight": 70.0},
    {"weight": (55.0, 70.0)},
    {"weight": (80.0, None), "age": (20, 35)},
]


def test_stacked_rows_are_as_likely_as_each_by_itself():
    model = patients()
    parts = [as_condition(said, model.schema) for said in SAID]
    together = log_likelihood(model.circuit, stack(parts, model.schema))
    alone = [log_likelihood(model.circuit, part)[0] for part in parts]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_stacked_rows_have_the_posteriors_of_each_by_itself():
    model = patients()
    parts = [as_condition(said, model.schema) for said in SAID]
    together = posteriors(model.circuit, stack(parts, model.schema))
    for row, part in enumerate(parts):
        alone = posteriors(model.circuit, part)
        np.testing.assert_allclose(together.table[:, row], alone.table[:, 0], rtol=1e-11)


def test_lists_of_numbers_are_asked_by_themselves():
    model = patients()
    listed = Evidence(np.full((6, 1), np.nan), listed={0: Listed(np.array([1.0]))})
    with pytest.raises(EvidenceError, match="cannot be stacked"):
        stack([listed, listed], model.schema)
