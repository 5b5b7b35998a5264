"""Tables in, tables out: row by row the answers of ``Model``, whatever the file and its pieces."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from cli.conftest import HEADER, ROWS, patients
from softlearn.files import text_source
from softlearn.show import plots
from softlearn.show.views import Kinds, Rows
from softlearn.table import encode

MODEL = patients()
FRAME = pd.DataFrame(
    {
        "sex": ["F", "M", None, "F"],
        "smoker": pd.array([True, False, False, None], dtype="boolean"),
        "stage": pd.array([1, 2, None, 1], dtype="Int64"),
        "age": pd.array([30, None, 70, 31], dtype="Int64"),
        "weight": [61.5, 80.25, None, 60.0],
        "joined": pd.to_datetime(["2024-01-05", "2024-02-01", None, "2024-01-09"]),
    }
)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_scores_are_the_models(model_file, table_file, run):
    result = run("score", model_file, table_file)
    found = [float(row["log_density"]) for row in rows_of(result.stdout)]
    assert found == pytest.approx(MODEL.score_samples(FRAME))
    assert "note: the model does not know 'name'; left out" in result.stderr
    assert "4 rows: mean log-density" in result.stderr


def test_the_mean_is_one_number(model_file, table_file, run, answered):
    printed = float(run("score", model_file, table_file, "--mean").stdout)
    assert printed == pytest.approx(MODEL.score(FRAME), abs=1e-6)
    found = answered("score", model_file, table_file, "--mean")
    assert found["rows"] == 4
    assert found["mean_log_density"] == pytest.approx(MODEL.score(FRAME))


def test_scores_are_appended_to_the_text_as_it_was(model_file, table_file, run, tmp_path):
    output = tmp_path / "scored.tsv"
    assert run("score", model_file, table_file, "--append", "-o", output).exit_code == 0
    lines = output.read_text(encoding="utf-8").splitlines()
    expected = [",".join(row) for row in csv.reader(ROWS)]
    assert [",".join(line.split("\t")[:-1]) for line in lines[1:]] == expected


@pytest.mark.parametrize("block", [1 << 20, 64])
@pytest.mark.parametrize("method", ["most_probable", "mean"])
def test_only_missing_cells_change(block, method, model_file, table_file, run, monkeypatch):
    monkeypatch.setattr(text_source, "_BLOCK_BYTES", block)
    result = run("impute", model_file, table_file, "--method", method)
    filled = MODEL.impute(FRAME, method)
    before, after = rows_of("\n".join([HEADER, *ROWS])), rows_of(result.stdout)
    assert result.stdout.splitlines()[0] == HEADER
    for old, new, row in zip(before, after, filled.to_dict("records"), strict=True):
        for name, cell in old.items():
            if cell not in ("", "NA"):
                assert new[name] == cell
            elif name == "joined":
                assert new[name] == row[name].strftime("%Y-%m-%d")
            elif name == "smoker":
                assert new[name] == str(row[name]).upper()
            else:
                assert new[name] == str(row[name])
    assert "6 missing cells filled" in result.stderr


def test_drawn_cells_depend_on_the_seed_alone(model_file, table_file, run):
    call = ["impute", model_file, table_file, "--method", "draw", "--seed"]
    assert run(*call, 1).stdout == run(*call, 1).stdout
    assert run(*call, 1).stdout != run(*call, 2).stdout


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_text_becomes_typed_in_a_typed_file(ending, model_file, table_file, run, tmp_path):
    output = tmp_path / f"full.{ending}"
    assert run("impute", model_file, table_file, "-o", output).exit_code == 0
    table = pd.read_parquet(output) if ending == "parquet" else pd.read_feather(output)
    assert not table.isna().any().any()
    assert list(table.columns) == HEADER.split(",")
    assert table["age"].dtype == "int64"
    assert table["smoker"].dtype == "bool"


def test_a_typed_file_keeps_its_types(model_file, run, tmp_path):
    source, output = tmp_path / "gaps.parquet", tmp_path / "full.parquet"
    table = pa.Table.from_pandas(FRAME).append_column("extra", pa.array([1, None, 2, 3], pa.int8()))
    pa.parquet.write_table(table, source)
    assert run("impute", model_file, source, "-o", output).exit_code == 0
    filled = pa.parquet.read_table(output)
    assert filled.schema.types == table.schema.types
    assert filled["extra"].to_pylist() == [1, None, 2, 3]
    assert filled.drop_columns(["extra"]).to_pandas().isna().sum().sum() == 0


def test_rows_of_probability_zero_stay_and_are_counted(run, tmp_path):
    from softlearn import Histogram, Model

    path, table = tmp_path / "m.safetensors", tmp_path / "t.csv"
    Model(Histogram("roll", [0.5, 6.5], [1.0]) * Histogram("cup", [0, 1], [1.0])).save(path)
    table.write_text("roll,cup\n3,\n9,\n", encoding="utf-8")
    result = run("impute", path, table)
    assert rows_of(result.stdout)[1] == {"roll": "9", "cup": ""}
    assert "1 left missing" in result.stderr
    scores = [json.loads(line) for line in run("score", path, table, "--json").stdout.splitlines()]
    assert scores[1] == {"log_density": "-Infinity"}
    assert rows_of(run("score", path, table).stdout)[1] == {"log_density": "-inf"}
    assert "1 of probability zero" in run("score", path, table).stderr


def test_predictions_are_the_models(model_file, table_file, run, answered, tmp_path):
    result = run("classify", model_file, table_file, "--target", "stage")
    features = FRAME.assign(stage=pd.array([None] * 4, dtype="Int64"))
    expected = MODEL.probability({"stage": 2}, given=features)
    rows = rows_of(result.stdout)
    assert [float(row["stage=2"]) for row in rows] == pytest.approx(expected)
    predicted = [row["stage_predicted"] for row in rows]
    assert predicted == ["2" if p > 0.5 else "1" for p in expected]
    right = sum(one == str(two) for one, two in zip(predicted, FRAME["stage"], strict=True))
    found = answered(
        "classify", model_file, table_file, "--target", "stage", "-o", tmp_path / "p.csv"
    )
    assert (found["compared"], found["accuracy"]) == (3, right / 3)


def test_the_target_need_not_be_there(model_file, table_file, run, tmp_path):
    frame = pd.read_csv(table_file, dtype=str, keep_default_na=False)
    bare = tmp_path / "bare.csv"
    frame.drop(columns="stage").to_csv(bare, index=False)
    with_it = run("classify", model_file, table_file, "--target", "stage").stdout
    assert run("classify", model_file, bare, "--target", "stage").stdout == with_it


@pytest.mark.parametrize(
    ("target", "message"), [("stag", "did you mean 'stage'"), ("age", "has no levels")]
)
def test_a_target_that_cannot_be_predicted_is_refused(target, message, model_file, table_file, run):
    result = run("classify", model_file, table_file, "--target", target)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_oddest_rows_are_found_and_explained(model_file, run, tmp_path, monkeypatch):
    monkeypatch.setattr(text_source, "_BLOCK_BYTES", 1000)
    drawn = MODEL.sample(200, random_state=0)
    drawn.loc[150, "weight"] = 500.0
    drawn.loc[20, "age"] = 140
    table = tmp_path / "t.csv"
    drawn.to_csv(table, index=False)
    lines = run("outliers", model_file, table, "-n", "3", "--json").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    scores = MODEL.score_samples(drawn)
    assert [row["row"] for row in found] == scores.argsort()[:3].tolist()
    assert found[0]["row"] == 150
    assert found[0]["because"].startswith("weight=500 (+")
    assert found[1]["because"].startswith("age=140 (+")
    assert [row["log_probability"] for row in found] == pytest.approx(sorted(scores)[:3])


def test_a_row_has_one_number_in_commands_plots_and_the_explorer(model_file, run, tmp_path):
    drawn = MODEL.sample(200, random_state=0)
    drawn.loc[150, "weight"] = 500.0
    table = tmp_path / "t.csv"
    drawn.to_csv(table, index=False)
    told = json.loads(run("outliers", model_file, table, "-n", "1", "--json").stdout)["row"]
    title = plots.likelihoods(MODEL, drawn, share=0.005).get_title(loc="left")
    explored = Rows(MODEL, Kinds(MODEL), encode(drawn, MODEL.schema)).page(0, 1, "odd")["rows"][0][
        "row"
    ]
    assert told == explored == 150
    assert title.endswith("the least likely: row 150")


@pytest.mark.parametrize("command", ["score", "impute", "classify"])
def test_a_strange_level_is_refused_or_missing(command, model_file, table_file, run, tmp_path):
    strange, without = tmp_path / "strange.csv", tmp_path / "without.csv"
    text = table_file.read_text(encoding="utf-8")
    strange.write_text(text.replace(",M,", ",X,"), encoding="utf-8")
    without.write_text(text.replace(",M,", ",,"), encoding="utf-8")
    further = ["--target", "stage"] if command == "classify" else []
    refused = run(command, model_file, strange, *further)
    assert refused.exit_code == 2
    assert "--unknown missing" in refused.stderr
    taken = run(command, model_file, strange, "--unknown", "missing", *further)
    assert taken.exit_code == 0
    if command != "impute":  # which leaves the strange cell as it is
        assert taken.stdout == run(command, model_file, without, *further).stdout


def test_a_strange_level_is_the_oddest_of_all(model_file, table_file, run, tmp_path):
    strange = tmp_path / "strange.csv"
    text = table_file.read_text(encoding="utf-8")
    strange.write_text(text.replace(",M,", ",X,"), encoding="utf-8")
    (line,) = run("outliers", model_file, strange, "-n", "1", "--json").stdout.splitlines()
    found = json.loads(line)
    assert (found["row"], found["log_probability"]) == (1, "-Infinity")
    assert found["because"].startswith("sex=X (impossible)")


def test_a_table_without_rows_has_answers_without_rows(model_file, run):
    header = HEADER + "\n"
    assert run("impute", model_file, "-", stdin=header).stdout == header
    assert run("score", model_file, "-", stdin=header).stdout == "log_density\n"
    assert run("score", model_file, "-", "--json", stdin=header).stdout == ""


def test_files_and_pipes_say_the_same(model_file, table_file, run, tmp_path):
    output = tmp_path / "scores.csv"
    written = run("score", model_file, table_file, "-o", output)
    assert f"written to {output}" in written.stdout
    piped = run("score", model_file, "-", "-o", "-", stdin=table_file.read_bytes())
    assert piped.stdout == output.read_text(encoding="utf-8")


def test_json_beside_a_file_is_one_document(model_file, table_file, answered, tmp_path):
    output = tmp_path / "full.csv"
    found = answered("impute", model_file, table_file, "-o", output)
    assert found == {"rows": 4, "filled_cells": 6, "missing_cells": 0, "output": str(output)}
