"""Questions on the command line have the answers of ``Model``."""

from __future__ import annotations

import json

import pytest

from cli.conftest import patients

MODEL = patients()


@pytest.mark.parametrize(
    ("question", "given", "event", "known"),
    [
        ("sex=F", "", {"sex": "F"}, {}),
        ("sex=F, age>=60", "", {"sex": "F", "age": (60, None)}, {}),
        ("stage=2", "age=60..80, smoker=no", {"stage": 2}, {"age": (60, 80), "smoker": False}),
        ("age=30..40", "stage in {1}", {"age": (30, 40)}, {"stage": {1}}),
    ],
)
def test_conditions_have_a_probability(question, given, event, known, model_file, answered, run):
    expected = MODEL.probability(event, given=known)
    found = answered("query", model_file, question, "--given", given)
    assert found == {"given": given, "probability": expected}
    printed = run("query", model_file, question, "-g", given).stdout
    assert float(printed) == pytest.approx(expected, rel=1e-5)


def test_a_name_has_a_distribution(model_file, answered, run):
    found = answered("query", model_file, "stage, age", "--given", "sex=F")
    stage, age = (MODEL.distribution(name, {"sex": "F"}) for name in ("stage", "age"))
    expected = {str(level): p for level, p in stage.items()}
    assert found["distributions"]["stage"]["probabilities"] == expected
    about_age = found["distributions"]["age"]
    assert about_age["mean"] == pytest.approx(age.mean)
    assert about_age["quantiles"]["0.5"] == pytest.approx(age.quantile(0.5))
    assert run("query", model_file, "stage", "--given", "sex=F").stdout.strip() == repr(stage)


def test_without_a_question_every_open_column_is_told(model_file, answered):
    found = answered("query", model_file, "--given", "sex=F")["distributions"]
    assert set(found) == {"smoker", "stage", "age", "weight", "joined"}
    assert found["joined"]["mean"].startswith("2023")


def test_a_mean_is_one_number(model_file, answered, run):
    expected = MODEL.expectation("weight", given={"stage": 2})
    printed = run("query", model_file, "weight", "--mean", "--given", "stage=2").stdout
    assert float(printed) == pytest.approx(expected, rel=1e-5)
    found = answered("query", model_file, "--mean")["means"]
    assert found == pytest.approx(MODEL.expectation())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sex, age>=3"], "ask for one or the other"),
        (["sex=F", "--mean"], "--mean takes names"),
        (["weight=60"], "has probability zero"),
        (["sexx"], "  sexx\n  ^^^^"),
        (["sex", "--given", "age=30.."], ""),
        (["sex", "--given", "age"], "expected =, !="),
        (["sex", "--given", "age=40..30"], "ends before it begins"),
    ],
)
def test_a_question_that_makes_no_sense_is_explained(arguments, message, model_file, run):
    result = run("query", model_file, *arguments)
    assert result.exit_code == (2 if message else 0)
    assert message in result.stderr


def test_rows_are_drawn_as_the_model_draws_them(model_file, run):
    call = ["sample", model_file, "-n", "5", "--given", "sex=F, age=30..40", "--seed", "3"]
    lines = [json.loads(line) for line in run(*call, "--json").stdout.splitlines()]
    assert len(lines) == 5
    assert {row["sex"] for row in lines} == {"F"}
    assert all(30 <= row["age"] <= 40 and isinstance(row["age"], int) for row in lines)
    assert run(*call).stdout == run(*call).stdout


def test_no_rows_are_a_header(model_file, run):
    assert run("sample", model_file, "-n", "0").stdout == "sex,smoker,stage,age,weight,joined\n"


def test_drawn_rows_do_not_depend_on_the_batch(model_file, run, tmp_path, monkeypatch):
    from softlearn.cli.commands import sample

    whole = run("sample", model_file, "-n", "9", "--seed", "1").stdout
    assert len(whole.splitlines()) == 10
    monkeypatch.setattr(sample, "_BATCH_ROWS", 4)
    parts = run("sample", model_file, "-n", "9", "--seed", "1").stdout
    assert len(parts.splitlines()) == 10
    assert parts.splitlines()[0] == whole.splitlines()[0]


def test_a_model_learnt_by_pandas_speaks_of_days_and_zones(tmp_path, run):
    import pandas as pd

    from softlearn import SoftLearn

    days = pd.date_range("2024-01-01", periods=60, freq="D", tz="Europe/Paris")
    frame = pd.DataFrame({"when": days, 0: range(60), "kind": ["a", "b"] * 30}).rename(str, axis=1)
    path = tmp_path / "m.safetensors"
    SoftLearn(random_state=0).fit(frame).model_.save(path)
    (row,) = run("sample", path, "-n", "1", "--seed", "0", "--json").stdout.splitlines()
    assert json.loads(row)["when"].endswith(("+01:00", "+02:00"))


def test_a_circuit_is_converted(model_file, run, tmp_path):
    output = tmp_path / "m.json"
    assert run("convert", model_file, output).exit_code == 0
    found = json.loads(output.read_text(encoding="utf-8"))
    circuit = MODEL.circuit
    assert len(found["nodes"]) == circuit.n_nodes
    root = found["nodes"][-1]
    assert (root["kind"], root["weights"]) == ("sum", [0.5, 0.5])
    leaves = {found["nodes"][i]["column"] for i in found["nodes"][root["children"][0]]["children"]}
    assert leaves == set(MODEL.schema.names)
    drawing = tmp_path / "m.dot"
    assert run("convert", model_file, drawing).exit_code == 0
    assert drawing.read_text(encoding="utf-8").startswith("digraph")
    assert "must end in one of .dot, .json" in run("convert", model_file, tmp_path / "m.txt").stderr


def test_a_psdd_is_converted_there_and_back_and_asked(run, answered, tmp_path):
    table = tmp_path / "votes.csv"
    rows = ["yes,no", "no,yes", "yes,no", "no,no"] * 50
    table.write_text("\n".join(["a,b", *rows]), encoding="utf-8")
    text, other = tmp_path / "votes.psdd", tmp_path / "again.safetensors"
    assert run("fit", table, "-o", text, "--learner", "learnpsdd").exit_code == 0
    assert run("convert", text, other).exit_code == 0
    asked = [answered("query", model, "a=yes", "--given", "b=no") for model in (text, other)]
    assert asked[0] == asked[1]
    assert (tmp_path / "votes.vtree").exists()
    text.unlink()
    refused = run("convert", other, text)
    assert refused.exit_code == 2
    assert "votes.vtree exists already" in refused.stderr
    mixed = run("fit", table, "-o", text, "-f", "--learner", "chowliutree", "--n-members", "3")
    assert mixed.exit_code == 0 or "is no PSDD" in mixed.stderr


@pytest.mark.parametrize(
    "kind", ["conditional", "likelihoods", "calibration", "structure", "pairs"]
)
def test_pictures_are_drawn(kind, model_file, training_file, table_file, run, tmp_path):
    output = tmp_path / "picture.svg"
    further = {
        "conditional": ["--of", "stage", "--on", "age", "--given", "sex=F"],
        "likelihoods": ["--table", table_file],
        "calibration": ["--table", table_file, "--event", "sex=F"],
        "pairs": ["--columns", "age, stage"],
    }.get(kind, [])
    result = run("plot", kind, model_file, "-o", output, *further)
    assert result.exit_code == 0, result.stderr
    assert b"<svg" in output.read_bytes()[:1000]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["conditional", "--of", "age"], "needs --on"),
        (["likelihoods"], "needs --table"),
        (["marginals", "--columns", "agee"], "did you mean 'age'"),
    ],
)
def test_what_a_picture_lacks_is_said(arguments, message, model_file, run, tmp_path):
    kind, *further = arguments
    result = run("plot", kind, model_file, "-o", tmp_path / "p.png", *further)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_picture_of_no_known_kind_is_refused(model_file, run, tmp_path):
    result = run("plot", "marginals", model_file, "-o", tmp_path / "p.doc", "--columns", "sex")
    assert result.exit_code == 2
    assert ".png" in result.stderr
    assert not (tmp_path / "p.doc").exists()
