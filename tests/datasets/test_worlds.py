"""Worlds are models whose truth is written down: here it is compared with plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from softlearn import SoftlearnError
from softlearn.circuit import build_form
from softlearn.datasets.worlds import bad_clustering, hidden_groups, households


def test_households_have_columns_of_every_kind():
    kinds = {column.name: column.kind for column in households().schema}
    assert kinds == {
        "place": "categorical",
        "owns": "boolean",
        "people": "integer",
        "age": "integer",
        "income": "numeric",
        "car": "categorical",
        "km": "numeric",
    }


def test_households_answer_as_their_kinds_say():
    world = households()
    assert world.probability({"owns": True}) == pytest.approx(
        0.2 * 0.02 + 0.4 * 0.6 + 0.1 * 0.95 + 0.3 * 0.65
    )
    electric_share = (0.4 + 0.1) * 0.25
    assert world.probability({"car": "electric"}) == pytest.approx(electric_share)
    assert world.expectation("km", given={"car": "electric"}) == pytest.approx(11)


def test_bad_clustering_is_the_expression_of_the_paper():
    world = bad_clustering()
    rows = world.sample(50, random_state=0)
    x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
    below = norm.pdf(x, -0.5, 1) * norm.pdf(y, -2, 0.2)
    above = norm.pdf(x, 0.5, 1) * norm.pdf(y, 2, 0.2)
    assert world.score_samples(rows) == pytest.approx(np.log(0.5 * below + 0.5 * above))


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(("n_columns", "n_groups"), [(1, 1), (1, 3), (5, 1), (9, 4), (300, 20)])
def test_worlds_have_the_size_they_are_asked_for(n_columns, n_groups, mixed):
    world = hidden_groups(n_columns, n_groups, mixed=mixed)
    assert world.schema.names == tuple(f"x{i}" for i in range(n_columns))
    assert len(build_form(world.circuit)[-1].children) == n_groups
    kinds = ["boolean", "categorical", "integer", "numeric"] if mixed else ["boolean"]
    assert [column.kind for column in world.schema] == [
        kinds[i % len(kinds)] for i in range(n_columns)
    ]


def test_within_a_group_columns_are_independent():
    """With one group the joint probability is the product of its columns'."""
    world = hidden_groups(3, 1, seed=4)
    row = {"x0": True, "x1": False, "x2": True}
    alone = [world.probability({name: value}) for name, value in row.items()]
    assert world.probability(row) == pytest.approx(np.prod(alone))


def test_groups_make_columns_depend_on_each_other():
    world = hidden_groups(2, 3, seed=0)
    joint = world.probability({"x0": True, "x1": True})
    product = world.probability({"x0": True}) * world.probability({"x1": True})
    assert abs(joint - product) > 0.01


def test_no_level_is_impossible():
    world = hidden_groups(8, 3, mixed=True)
    for column in world.schema:
        if column.is_discrete:
            assert min(world.probability({column.name: level}) for level in column.levels) > 0.001


def test_a_seed_is_a_world():
    rows = hidden_groups(8, 3, seed=1, mixed=True).sample(20, random_state=0)
    scores = [
        hidden_groups(8, 3, seed=seed, mixed=True).score_samples(rows).tolist()
        for seed in (1, 1, 2)
    ]
    assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize("mixed", [False, True])
def test_a_wider_world_holds_the_narrower_one(mixed):
    narrow, wide = (hidden_groups(n, 3, seed=5, mixed=mixed) for n in (4, 11))
    rows = narrow.sample(20, random_state=0)
    filled = rows.reindex(columns=list(wide.schema.names))  # the other cells are missing
    assert wide.score_samples(filled) == pytest.approx(narrow.score_samples(rows))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 3), "n_columns must be a whole number, 1 or more, not 0"),
        ((3, 2.5), "n_groups must be a whole number, 1 or more, not 2.5"),
        ((3, True), "n_groups must be"),
        ((3, 2, -1), "seed must be a whole number, 0 or more, not -1"),
    ],
)
def test_impossible_sizes_are_refused(arguments, words):
    with pytest.raises(SoftlearnError, match=words):
        hidden_groups(*arguments)
