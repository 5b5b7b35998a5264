import json

import pytest
from typer.testing import CliRunner

from softlearn.cli.main import app


def call(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_a_second_run_has_nothing_to_do(tmp_path):
    arguments = ("badcluster", "--out", tmp_path, "--jobs", 1, "--json")
    first, second = (json.loads(call(*arguments).stdout) for _ in range(2))
    assert (first["cells_run"], second["cells_run"]) == (2, 0)
    assert first["rows"] == second["rows"] == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        "badcluster.jsonl",
        "badcluster.md",
        "badcluster.png",
    }


def test_the_table_is_shown(tmp_path):
    shown = call("badcluster", "--out", tmp_path, "--jobs", 1).stdout
    assert shown.startswith("# A bad split")
    assert "2 cells run, 2 rows in all" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["binary", "--only", "nltc"], "did you mean 'nltcs'"),
        (["binary", "--betas", "20;40"], "--betas must be numbers joined by commas"),
        (["grid", "--betas", "0"], "betas must be numbers above 0"),
        (["grid", "--systems", "spn"], "there is no system 'spn'"),
        (["samples", "--only", "plants"], "no data set of this experiment 'plants'"),
        (["report"], "holds no rows to report"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments, message, tmp_path):
    result = call(*arguments, "--out", tmp_path)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_quick_rows_are_kept_apart(tmp_path):
    assert call("badcluster", "--quick", "--out", tmp_path, "--jobs", 1).exit_code == 0
    assert (tmp_path / "badcluster-quick.jsonl").exists()
    assert not (tmp_path / "badcluster.jsonl").exists()
    page = (tmp_path / "badcluster-quick.md").read_text(encoding="utf-8")
    assert "(badcluster-quick.png)" in page
    assert (tmp_path / "badcluster-quick.png").exists()
