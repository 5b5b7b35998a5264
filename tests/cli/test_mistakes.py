"""Every mistake of a user is one explained error on standard error, with exit code 2."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

from softlearn.cli.commands.score import Score

TABLES = {
    "missing": (None, "No such file"),
    "empty": (b"", "it is empty"),
    "garbage": (bytes(range(128, 256)) * 9, "neither CSV"),
    "ragged": (b"sex,age\nF,1\nM\n", "row 1 (the first is row 0)"),
    "repeated": (b"sex,sex\nF,M\n", "more than once"),
    "lacking": (b"sex,age\nF,1\n", "the table has no column 'smoker'"),
    "wrong cell": (b"sex,smoker,stage,age,weight,joined\nF,,,old,,\n", "'old' in row 0"),
}
MODELS = {
    "missing": (None, "no such file"),
    "empty": (b"", "not a safetensors file"),
    "garbage": (bytes(range(256)) * 9, "cannot load"),
    "a table": (b"sex,age\nF,1\n" * 9, "cannot load"),
}


def is_one_error(result, message):
    assert result.exit_code == 2
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert errors[0].startswith("error: ")
    assert len(errors) == 1
    assert message in errors[0]
    assert "Traceback" not in result.stderr
    return True


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", ["score", "impute"])
def test_a_wrong_table_is_explained(name, command, model_file, run, tmp_path):
    content, message = TABLES[name]
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_bytes(content)
    assert is_one_error(run(command, model_file, path), message)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("command", ["describe", "sample", "convert"])
def test_a_wrong_model_is_explained(name, command, run, tmp_path):
    content, message = MODELS[name]
    path = tmp_path / "m.safetensors"
    if content is not None:
        path.write_bytes(content)
    further = [tmp_path / "x.json"] if command == "convert" else []
    assert is_one_error(run(command, path, *further), message)


def test_a_folder_is_no_file(model_file, table_file, run, tmp_path):
    assert is_one_error(run("score", tmp_path, table_file), "it is a folder")
    (tmp_path / "empty").mkdir()
    assert is_one_error(run("score", model_file, tmp_path / "empty"), "matches no table file")
    assert is_one_error(run("score", model_file, table_file, "-o", tmp_path), "is a folder")


@pytest.mark.parametrize(
    ("content", "message"),
    [("a,b\n", "has no rows below its header"), ("a,b\n1,2\n", "at least two"), ("", "empty")],
)
def test_a_table_to_learn_from_needs_rows(content, message, run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    result = run("fit", path, "-o", tmp_path / "m.safetensors")
    assert result.exit_code == 2
    assert message in result.stderr or "two rows" in result.stderr


def test_an_unknown_ending_is_refused_before_the_work(model_file, table_file, run, tmp_path):
    result = run("impute", model_file, table_file, "-o", tmp_path / "full.xlsx")
    assert is_one_error(result, "it may end in .csv")


@pytest.mark.parametrize("command", ["score", "impute"])
def test_rows_do_not_replace_a_file_unasked(command, model_file, table_file, run, tmp_path):
    output = tmp_path / "rows.csv"
    output.write_text("precious", encoding="utf-8")
    assert is_one_error(run(command, model_file, table_file, "-o", output), "pass --force")
    assert output.read_text(encoding="utf-8") == "precious"
    assert run(command, model_file, table_file, "-o", output, "-f").exit_code == 0
    assert output.read_text(encoding="utf-8") != "precious"


def test_a_mistake_half_way_leaves_no_file(model_file, table_file, run, tmp_path, monkeypatch):
    from softlearn.files import text_source

    monkeypatch.setattr(text_source, "_BLOCK_BYTES", 64)
    with table_file.open("a", encoding="utf-8") as file:
        file.write("g,F,TRUE,1,30,61.50,2024-01-05\n" * 5 + "g,F,TRUE,1,old,61.50,2024-01-05\n")
    before = set(tmp_path.iterdir())
    result = run("impute", model_file, table_file, "-o", tmp_path / "full.csv")
    assert result.exit_code == 2
    assert "'old' in row 9 (the first is row 0)" in result.stderr
    assert set(tmp_path.iterdir()) == before


def test_ctrl_c_is_one_line(model_file, table_file, run, monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Score, "run", interrupt)
    result = run("score", model_file, table_file)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "call",
    [
        ["score"],
        ["no-such-command"],
        ["fit", "t.csv"],
        ["sample", "m.safetensors", "-n", "-1"],
        ["impute", "m.safetensors", "t.csv", "--method", "guess"],
        ["datasets"],
    ],
)
def test_wrong_usage_has_its_own_code(call, run):
    assert run(*call).exit_code == 2


def message_of(result):
    """The text of the box in which wrong usage is explained."""
    assert (result.exit_code, result.stdout) == (2, "")
    return " ".join(result.stderr.replace("│", " ").split())


def test_an_extra_argument_is_explained(model_file, table_file, run):
    message = message_of(run("query", model_file, "sex", "age=20"))
    assert "unexpected argument 'age=20'; write what is known as --given 'age=20'" in message
    message = message_of(run("score", model_file, table_file, "more.csv"))
    assert "unexpected argument 'more.csv'" in message
    assert "--given" not in message


def test_a_wrong_word_is_explained(training_file, run, tmp_path):
    call = ("fit", training_file, "-o", tmp_path / "m.safetensors", "--learner", "spn")
    message = message_of(run(*call))
    assert "Invalid value for '--learner': 'spn' is not one of 'softlearn', 'learnspn'" in message


def test_a_data_set_that_is_not_known_is_guessed(run):
    assert is_one_error(run("datasets", "info", "bnk"), "bank")


def test_a_strange_level_has_the_remedy_of_its_command(model_file, table_file, run, tmp_path):
    strange = tmp_path / "strange.csv"
    text = table_file.read_text(encoding="utf-8")
    strange.write_text(text.replace(",M,", ",X,"), encoding="utf-8")
    result = run("score", model_file, strange)
    found = "column 'sex' holds 'X', which is none of its levels ('F', 'M'); "
    assert is_one_error(result, f"{found}pass --unknown missing to treat such cells as missing, or")
    drawing = ["--table", strange, "-o", tmp_path / "drawn.png"]
    result = run("plot", "marginals", model_file, *drawing)
    assert is_one_error(result, f"{found}correct it, or fit the model again")


def test_a_strange_level_of_held_out_rows_is_named(training_file, run, tmp_path):
    valid = tmp_path / "valid.csv"
    text = training_file.read_text(encoding="utf-8")
    valid.write_text(text.replace("F,", "X,", 1), encoding="utf-8")
    result = run("fit", training_file, "-o", tmp_path / "m.safetensors", "--valid", valid)
    assert result.exit_code == 2
    said = "held-out rows: column 'sex' holds 'X', which is none of its levels ('F', 'M'); add it"
    assert f"error: {said} to the levels in a --schema file" in result.stderr


@pytest.mark.parametrize(
    "command",
    [("fit", "{table}", "-o", "{table}"), ("impute", "{model}", "{table}", "-o", "{table}")],
)
def test_what_is_read_is_never_overwritten(command, run, model_file, table_file):
    before = table_file.read_bytes()
    arguments = [one.format(table=table_file, model=model_file) for one in command]
    assert is_one_error(run(*arguments, "--force"), "is an input of this command")
    assert table_file.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_replaced(run, model_file, tmp_path):
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    assert is_one_error(run("sample", model_file, "-o", pipe, "--force"), "not an ordinary file")
    assert pipe.is_fifo()


HOSTILE = {
    "carriage returns": (b"sex,age\rF,1\rM,2\r", "carriage return"),
    "a long name": (b"x" * 200_000 + b",age\n1,2\n", "131072"),
    "a damaged gzip": (gzip.compress(b"sex,age\nF,1\n" * 99)[:-20], "cannot read"),
    "a wrong gzip": (gzip.compress(b"sex,age\n" * 999)[:30] + b"?" * 60, "cannot read"),
    "a million columns": (b",".join(b"c%d" % i for i in range(1_000_000)), "1,000,000 columns"),
    "a long repeated name": (b"x" * 5000 + b"," + b"x" * 5000 + b"\n1,2\n", "more than once"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table_is_explained_in_one_short_line(name, run, tmp_path):
    content, message = HOSTILE[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    result = run("fit", path, "-o", tmp_path / "m.safetensors")
    assert is_one_error(result, message)
    assert len(result.stderr) < 600


def test_a_closed_standard_input_is_explained(tmp_path):
    program = "import sys; sys.stdin = None; from softlearn.cli.main import main; main()"
    command = [sys.executable, "-c", program, "fit", "-", "-o", str(tmp_path / "m.safetensors")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == "error: cannot read standard input: it is closed\n"


def test_a_model_and_a_table_in_the_wrong_order_are_told_apart(run, model_file, table_file):
    assert is_one_error(run("score", table_file, model_file), "is a table, not a model")
    assert is_one_error(run("score", model_file, model_file), "is a model, not a table")


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_a_model_is_not_saved_under_the_name_of_a_table(command, run, training_file, tmp_path):
    result = run(command, training_file, "-o", tmp_path / "model.csv")
    assert is_one_error(result, "saved to a .safetensors file, not to model.csv")
    assert not (tmp_path / "model.csv").exists()
