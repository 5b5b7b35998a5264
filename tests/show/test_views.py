"""What the explorer's views say, beside what the model says when it is asked directly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from model_examples import fork, patients
from softlearn import Column, Gaussian, Model, SoftLearn
from softlearn.conditions import parse_conditions
from softlearn.errors import ImpossibleEvidenceError, SoftlearnError
from softlearn.show.views import Fit, Kinds, PosteriorView, Rows, Tree, informative_columns
from softlearn.table import encode


@pytest.fixture(scope="module")
def rows() -> tuple[Model, pd.DataFrame, Rows]:
    model = patients()
    frame = model.sample(60, random_state=0).astype(object)
    frame = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2)
    values = encode(frame, model.schema)
    return model, frame, Rows(model, Kinds(model), values)


@pytest.fixture(scope="module")
def with_gaps() -> Model:
    """A learnt model whose missing cells have a probability."""
    rng = np.random.default_rng(1)
    x = rng.normal(10, 3, 400).round(1)
    frame = pd.DataFrame({"x": np.where(rng.random(400) < 0.3, np.nan, x), "y": x > 10})
    schema = {name: {"missing": "modelled"} for name in frame}
    return SoftLearn(random_state=0, schema=schema).fit(frame).model_


def test_rows_come_by_their_density(rows):
    model, frame, view = rows
    scores = model.score_samples(frame)
    page = view.page(0, 60, "odd")["rows"]
    assert [one["row"] for one in page] == np.argsort(scores, kind="stable").tolist()
    assert [one["row"] for one in view.page(5, 3, "table")["rows"]] == [5, 6, 7]


@pytest.mark.parametrize("row", range(5))
def test_surprises_are_conditional_densities(row, rows):
    model, frame, view = rows
    found, own = view.explain(row), frame.iloc[[row]]
    for one in found["columns"]:
        rest = own.assign(**{one["name"]: None})
        expected = (model.score_samples(rest) - model.score_samples(own))[0] / np.log(2.0)
        assert one["bits"] == pytest.approx(expected, abs=1e-9)
        assert (one["condition"] is None) == bool(own[one["name"]].isna().iloc[0])
        if one["condition"] is not None:
            parse_conditions(one["condition"], model.schema)


def test_missing_cells_are_filled_as_imputation_fills_them(rows):
    model, frame, view = rows
    for row in range(10):
        filled = model.impute(frame.iloc[[row]])
        for one in view.explain(row)["columns"]:
            if one["condition"] is None and one["name"] in ("sex", "stage", "age"):
                assert one["filled"] == filled[one["name"]].iloc[0]


def test_memberships_are_the_posterior_of_each_kind(rows):
    _, _, view = rows
    found = view.memberships([0, 1, 2])
    assert sum(kind["share"] for kind in found["kinds"]) == pytest.approx(1.0)
    for one in found["rows"]:
        assert sum(one["kinds"]) == pytest.approx(1.0)
    mixture = Model(
        0.25 * Gaussian("x", 0.0, 1.0) * Gaussian("y", 0.0, 1.0)
        + 0.75 * Gaussian("x", 3.0, 1.0) * Gaussian("y", 3.0, 1.0)
    )
    kinds = Rows(mixture, Kinds(mixture), np.array([[1.0], [np.nan]])).memberships([0])
    near, far = 0.25 * np.exp(-0.5), 0.75 * np.exp(-2.0)
    assert kinds["rows"][0]["kinds"] == pytest.approx([far / (near + far), near / (near + far)])


def test_rows_that_are_not_there_are_named(rows):
    with pytest.raises(SoftlearnError, match="there is no row 60; the table has rows 0 to 59"):
        rows[2].explain(60)


def test_branches_share_what_comes_to_them():
    model = patients()
    tree = Tree(model, Kinds(model))
    for given in ("", "age=40..60", "sex=F, stage=1"):
        root = tree.open(given=given)
        assert sum(one["share"] for one in root["children"]) == pytest.approx(1.0)
        assert sum(one["share_now"] for one in root["children"]) == pytest.approx(1.0)
        assert [one["mass_now"] for one in root["children"]] == pytest.approx(
            [one["share_now"] for one in root["children"]]
        )
    smokers = [one for one in tree.open()["children"] if one["share"] == pytest.approx(0.2)]
    now = tree.open(given="age=0..20")["children"]
    assert next(one for one in now if one["node"] == smokers[0]["node"])["share_now"] == 0.0


def test_every_node_of_a_circuit_can_be_reached():
    model = patients()
    tree, seen, waiting = Tree(model, Kinds(model)), set(), [None]
    while waiting:
        found = tree.open(waiting.pop())
        seen.add(found["node"]["node"])
        waiting += [one["node"] for one in found["children"]]
        assert found["children"] or found["columns_alone"]
    inner = set(range(model.circuit.n_leaves, model.circuit.n_nodes))
    alone = {node for node in inner if node not in seen}
    assert model.circuit.root in seen
    assert len(inner - alone) >= 4


def test_many_children_come_a_few_at_a_time():
    parts = [
        (1 / 40) * Gaussian("x", float(i), 1.0) * Gaussian("y", float(i), 1.0) for i in range(40)
    ]
    root = parts[0]
    for part in parts[1:]:
        root = root + part
    tree = Tree(Model(root), Kinds(Model(root)))
    first, second = tree.open(), tree.open(start=24)
    assert (first["n_children"], len(first["children"]), len(second["children"])) == (40, 24, 16)
    nodes = {one["node"] for one in first["children"] + second["children"]}
    assert len(nodes) == 40


@pytest.mark.parametrize("given", ["", "age=40..60", "sex=F", "weight=60..80, stage in {1, 4}"])
@pytest.mark.parametrize("target", ["stage", "smoker"])
def test_information_between_levels_is_the_models(target, given):
    model = patients()
    found = informative_columns(PosteriorView(model), target, given)
    names = [name for name in ("sex", "smoker", "stage") if name != target]
    expected = model.mutual_information([target, *names], parse_conditions(given, model.schema))
    told = {one["name"]: one["bits"] for one in found["columns"]}
    assert found["entropy_bits"] == pytest.approx(expected[target, target] / np.log(2.0))
    for name in set(names) & set(told):
        assert told[name] == pytest.approx(expected[target, name] / np.log(2.0), abs=1e-9)


def test_information_about_numbers_with_a_scale_is_the_models(with_gaps):
    expected = with_gaps.mutual_information()["x", "y"] / np.log(2.0)
    for target in ("x", "y"):
        found = informative_columns(PosteriorView(with_gaps), target, "")
        assert found["columns"][0]["bits"] == pytest.approx(expected, abs=1e-9)


def test_missing_cells_that_are_modelled_have_their_share(with_gaps):
    found = PosteriorView(with_gaps).answer("y=true")
    numbers = found["distributions"][0]
    assert numbers["missing"] == pytest.approx(with_gaps.distribution("x", {"y": True}).missing)
    assert sum(numbers["shares"]) + numbers["below"] + numbers["above"] == pytest.approx(1.0)
    gone = PosteriorView(with_gaps).answer("x is missing")
    assert gone["evidence"]["probability"] == pytest.approx(with_gaps.probability({"x": {None}}))
    assert gone["distributions"][0] == {"name": "x", "value": None, "at": None}


def test_an_axis_is_widened_when_the_column_leaves_it():
    near = Gaussian("x", 0.0, 1.0) * Gaussian("y", 0.0, 1.0)
    rare = Gaussian("x", 500.0, 1.0) * Gaussian("y", 50.0, 1.0)
    model = Model(0.9995 * near + 0.0005 * rare)
    usual, moved = (PosteriorView(model).answer(given, ["x"]) for given in ("", "y=45..55"))
    before, after = usual["distributions"][0], moved["distributions"][0]
    assert before["axis"]["stop"] < 10.0
    assert after["axis"]["stop"] > 500.0
    assert before["before"] is None
    assert sum(after["before"]) > 0.99
    assert after["quantiles"][2] == pytest.approx(500.0, abs=1e-6)


def test_times_stand_on_the_axis_in_seconds():
    model = patients()
    one = next(
        d for d in PosteriorView(model).answer("sex=F")["distributions"] if d["name"] == "joined"
    )
    assert one["mean"] == pytest.approx(
        model.distribution("joined", {"sex": "F"}).mean.timestamp(), abs=1
    )


def test_impossible_conditions_are_refused():
    with pytest.raises(ImpossibleEvidenceError, match="has probability zero"):
        PosteriorView(fork()).answer("colour=red, size>=3")


def test_the_fit_compares_like_with_like(rows):
    model, frame, view = rows
    fit = Fit(PosteriorView(model), view)
    found = fit.likelihoods
    assert found["mean_log_density"] == pytest.approx(model.score(frame))
    alone = sum(
        model.score(frame.assign(**{other: None for other in frame if other != name}))
        for name in frame
    )
    assert found["columns_alone_mean_log_density"] == pytest.approx(alone)
    sex = next(one for one in fit.columns if one["name"] == "sex")
    seen = frame["sex"].value_counts(normalize=True)
    assert sex["table"] == pytest.approx([seen[level] for level in model.schema["sex"].levels])
    assert sex["missing"] == pytest.approx(frame["sex"].isna().mean())


def test_whole_numbers_of_a_schema_keep_their_cells():
    schema = replace(patients().schema)
    assert isinstance(schema["age"], Column)
    one = PosteriorView(patients()).answer("", ["age"])["distributions"][0]
    width = (one["axis"]["stop"] - one["axis"]["start"]) / one["axis"]["cells"]
    assert width == int(width)
