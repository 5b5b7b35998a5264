"""Rows drawn from a model, given what is known."""

from __future__ import annotations

import numpy as np

from softlearn.model import Model
from softlearn.model.completion import rounded
from softlearn.query import sample_given
from softlearn.show.views.conditions import described, read_conditions
from softlearn.show.views.values import Json, cell


def drawn_rows(model: Model, given: str, n: int, seed: int) -> Json:
    """Return rows from the exact conditional distribution; the same seed draws the same rows.

    They are the rows of ``model.sample(n, given, random_state=seed)``.
    """
    known, rng = read_conditions(given, model), np.random.default_rng(seed)
    drawn = sample_given(model.circuit, known.evidence, rng, n_each=n, impossible="nan")
    known.refuse(np.isnan(drawn[0, :1]), "error")
    values = rounded(model.schema, known.evidence, drawn)
    rows = [
        [cell(column, code) for column, code in zip(model.schema, row, strict=True)]
        for row in values.T.tolist()
    ]
    return {
        **described(known),
        "seed": seed,
        "columns": list(model.schema.names),
        "rows": rows,
    }
