"""Learning from files: choices reach the learner, columns and rows are left out as asked."""

from __future__ import annotations

import pandas as pd
import pytest

from softlearn import infer_schema, load
from softlearn.cli.learner_options import learner_options
from softlearn.cli.registry import COMMANDS, load_command
from softlearn.estimators import estimator_named
from softlearn.learn import LEARNERS


@pytest.mark.parametrize("command", ["fit", "tune"])
@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_not_said_is_the_learners_default(command, name):
    made = load_command(COMMANDS[command]).called(table="t.csv", output="m", learner=name)
    schema = infer_schema(pd.DataFrame({"x": [0, 1]}))
    expected = estimator_named(name)(random_state=0, schema=schema)
    assert made.estimator(schema).get_params() == expected.get_params()
    assert made.missing == expected.missing


@pytest.mark.parametrize("name", LEARNERS)
def test_every_parameter_of_every_learner_is_an_option(name):
    options = {option.name for option in learner_options()}
    assert options >= set(LEARNERS[name].parameters)


def test_zero_is_said(training_file, run, tmp_path):
    paths = [tmp_path / "depth.safetensors", tmp_path / "one.safetensors"]
    for path, choice in zip(paths, (["--max-depth", 0], ["--n-clusters", 1]), strict=True):
        assert run("fit", training_file, "-o", path, *choice).exit_code == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_model_is_saved_and_told_of(training_file, answered, tmp_path):
    output = tmp_path / "m.safetensors"
    found = answered("fit", training_file, "-o", output, "--hold-out", "0.25")
    model = load(output)
    assert (found["rows"], found["held_out_rows"]) == (150, 50)
    assert found["columns"] == {"categorical": 1, "boolean": 1, "integer": 2, "numeric": 1}
    assert found["nodes"] == model.circuit.n_nodes
    assert model.schema["age"].kind == "integer"
    assert found["train_log_density"] > -20
    assert found["held_out_log_density"] > -20


def test_the_same_seed_gives_the_same_bytes(training_file, run, tmp_path):
    paths = [tmp_path / f"{number}.safetensors" for number in range(3)]
    for path, jobs in zip(paths, (1, 2, 1), strict=True):
        assert run("fit", training_file, "-o", path, "--jobs", jobs).exit_code == 0
    assert len({path.read_bytes() for path in paths}) == 1


def test_words_say_what_was_learnt(training_file, run, tmp_path):
    result = run("fit", training_file, "-o", tmp_path / "m.safetensors")
    for word in ("learnt in", "200", "0.0% of the cells missing", "nodes", "log-density", "saved"):
        assert word in result.stdout


@pytest.mark.parametrize(
    "choice",
    [
        ["--learner", "learnspn"],
        ["--clustering", "kmeans", "--beta", "20"],
        ["--significance", "0.5"],
        ["--smoothing", "5"],
        ["--n-clusters", "3", "--significance", "0.2"],
        ["--leaf", "histogram"],
        ["--leaf", "age=histogram"],
        ["--max-depth", "0"],
        ["--max-nodes", "5"],
        ["--drop", "stage"],
        ["--weights", "stage"],
    ],
    ids=" ".join,
)
def test_a_choice_changes_the_model(choice, training_file, run, tmp_path):
    usual, other = tmp_path / "usual.safetensors", tmp_path / "other.safetensors"
    assert run("fit", training_file, "-o", usual).exit_code == 0
    result = run("fit", training_file, "-o", other, *choice)
    assert result.exit_code == 0, result.stderr
    assert usual.read_bytes() != other.read_bytes()


def test_leaves_are_chosen_for_all_columns_but_some(training_file, run, tmp_path):
    output = tmp_path / "m.safetensors"
    call = ["fit", training_file, "-o", output, "--leaf", "histogram", "--leaf", "age=gaussian"]
    assert run(*call).exit_code == 0
    leaves = load(output).describe().leaves
    assert leaves["scaled"] > 0  # of age
    assert leaves["histogram"] > 0  # of stage and weight


def test_plain_numbers_have_gaussian_leaves(training_file, run, tmp_path):
    schema, output = tmp_path / "columns.toml", tmp_path / "m.safetensors"
    schema.write_text('[age]\nscale = "plain"\n', encoding="utf-8")
    assert run("fit", training_file, "-o", output, "--schema", schema).exit_code == 0
    assert load(output).schema["age"].scale is None
    assert load(output).describe().leaves["gaussian"] > 0


def test_missing_cells_are_modelled_by_choice(training_file, run, tmp_path):
    gaps, output = tmp_path / "gaps.csv", tmp_path / "m.safetensors"
    frame = pd.read_csv(training_file)
    frame.loc[::4, ["age", "sex"]] = None
    frame.to_csv(gaps, index=False)
    assert run("fit", gaps, "-o", output, "--missing", "modelled").exit_code == 0
    schema = load(output).schema
    assert {column.name for column in schema if column.missing == "modelled"} == {"age", "sex"}
    rows = tmp_path / "drawn.csv"
    assert run("sample", output, "-n", 200, "--seed", 0, "-o", rows).exit_code == 0
    drawn = pd.read_csv(rows)
    assert set(drawn.columns[drawn.isna().any()]) == {"age", "sex"}


def test_held_out_rows_have_no_part_in_scales(training_file, run, tmp_path):
    output = tmp_path / "m.safetensors"
    assert run("fit", training_file, "-o", output, "--hold-out", 0.5).exit_code == 0
    assert load(output).schema["age"].scale != infer_schema(pd.read_csv(training_file))["age"].scale


def test_a_weight_of_two_is_the_row_twice(training_file, run, tmp_path):
    head, *rows = training_file.read_text(encoding="utf-8").splitlines()
    weighted, twice = tmp_path / "weighted.csv", tmp_path / "twice.csv"
    weights = [1 + number % 2 for number in range(len(rows))]
    lines = [f"{row},{weight}" for row, weight in zip(rows, weights, strict=True)]
    weighted.write_text("\n".join([f"{head},w", *lines]), encoding="utf-8")
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    twice.write_text("\n".join([head, *repeated]), encoding="utf-8")
    schema = tmp_path / "columns.toml"
    assert run("schema", training_file, "-o", schema).exit_code == 0
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    assert run("fit", weighted, "-o", one, "--weights", "w", "--schema", schema).exit_code == 0
    assert run("fit", twice, "-o", other, "--schema", schema).exit_code == 0
    scores = [run("score", model, twice, "--mean").stdout for model in (one, other)]
    assert scores[0] == scores[1]


def test_a_table_of_its_own_is_held_out(training_file, answered, tmp_path):
    output = tmp_path / "m.safetensors"
    found = answered("fit", training_file, "-o", output, "--valid", training_file)
    assert found["held_out_log_density"] == pytest.approx(found["train_log_density"])


def test_standard_input_is_learnt_from(training_file, run, tmp_path):
    piped, read = tmp_path / "piped.safetensors", tmp_path / "read.safetensors"
    assert run("fit", "-", "-o", piped, stdin=training_file.read_bytes()).exit_code == 0
    assert run("fit", training_file, "-o", read).exit_code == 0
    assert piped.read_bytes() == read.read_bytes()


def test_a_column_without_a_name_is_left_out_with_a_note(training_file, run, tmp_path):
    lines = training_file.read_text(encoding="utf-8").splitlines()
    indexed = tmp_path / "indexed.csv"
    numbered = [f"{number},{line}" for number, line in enumerate(lines[1:])]
    indexed.write_text("\n".join([f",{lines[0]}", *numbered]), encoding="utf-8")
    result = run("fit", indexed, "-o", tmp_path / "m.safetensors")
    assert "note: a column has no name" in result.stderr
    assert "" not in load(tmp_path / "m.safetensors").schema.names


def test_identifiers_are_noted(training_file, run, tmp_path):
    lines = training_file.read_text(encoding="utf-8").splitlines()
    named = tmp_path / "named.csv"
    numbered = [f"p{number:04}x,{line}" for number, line in enumerate(lines[1:])]
    named.write_text("\n".join([f"id,{lines[0]}", *numbered]), encoding="utf-8")
    result = run("fit", named, "-o", tmp_path / "m.safetensors", "--max-depth", "0")
    assert result.exit_code == 0
    assert "note: column 'id' holds 200 different texts" in result.stderr


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (["--drop", "agee"], "did you mean 'age'"),
        (["--weights", "agee"], "did you mean 'age'"),
        (["--weights", "sex"], "must hold a number in every row"),
        (["--hold-out", "1.5"], "a share between 0 and 1"),
        (["--hold-out", "0.1", "--valid", "x.csv"], "choose one"),
        (["--beta", "3"], "--beta has an effect only with --clustering kmeans"),
        (["--beta", "3", "--learner", "learnspn"], "--beta is not an option of --learner learnspn"),
        (["--n-clusters", "0"], "n_clusters must be"),
        (["--leaf", "triangle"], "leaf must be"),
        (["--leaf", "gaussian", "--leaf", "histogram"], "as both gaussian and histogram"),
        (["--leaf", "sexx=histogram"], "did you mean 'sex'"),
        (["--schema", "none.toml"], "No such file"),
        (["--valid", "none.csv"], "No such file"),
        (["-o", "no/folder/m.safetensors"], "does not exist"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_choice_is_explained(choice, message, training_file, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = [] if "-o" in choice else ["-o", "m.safetensors"]
    result = run("fit", training_file, *output, *choice)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert not result.stdout
    assert not (tmp_path / "m.safetensors").exists()


def test_an_unseen_level_in_held_out_rows_is_explained(training_file, run, tmp_path):
    strange = tmp_path / "strange.csv"
    text = training_file.read_text(encoding="utf-8").replace("F,", "X,", 1)
    strange.write_text(text, encoding="utf-8")
    result = run("fit", training_file, "-o", tmp_path / "m.safetensors", "--valid", strange)
    assert result.exit_code == 2
    assert "'X', which is none of its levels" in result.stderr
    assert "--schema" in result.stderr


def test_tuning_saves_the_best_of_the_grid(training_file, answered, tmp_path):
    output = tmp_path / "best.safetensors"
    call = ["tune", training_file, "-o", output, "--hold-out", "0.2", "--smoothing", "0.2"]
    found = answered(*call)
    assert found["log_density"] == max(row["score"] for row in found["results"])
    tried = {row["significance"] for row in found["results"]}
    assert tried == set(LEARNERS["softlearn"].parameters["significance"].grid)
    assert set(found["best"]) == {"significance"}  # smoothing was said, and stays
    assert load(output).schema.names == ("sex", "smoker", "stage", "age", "weight")


@pytest.mark.parametrize("goal", ["likelihood", "samples"])
def test_the_best_model_is_a_mixture(training_file, answered, tmp_path, goal):
    output = tmp_path / "m.safetensors"
    found = answered("fit", training_file, "-o", output, "--best", "--time", "2", "--goal", goal)
    assert found["members"] > 1
    assert found["fits"] >= found["members"]
    assert found["end"] == "finished"
    assert load(output).circuit.n_nodes == found["nodes"]


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        (["--time", "3"], "has an effect only with it"),
        (["--best", "--time", "0"], "above 0"),
        (["--goal", "samples"], "add --best"),
        (["--best", "--smoothing", "1"], "chooses the learner and its settings"),
        (["--best", "--learner", "hclt"], "chooses the learner and its settings"),
    ],
)
def test_best_has_options_of_its_own(choice, reason, training_file, run, tmp_path):
    result = run("fit", training_file, "-o", tmp_path / "m.safetensors", *choice)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())
