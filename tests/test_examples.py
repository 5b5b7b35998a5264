"""Every example runs, says something, and stays short."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
MOST_LINES = 60


def test_there_are_examples():
    assert [path.name[:2] for path in EXAMPLES] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_an_empty_folder(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_a_screen(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < MOST_LINES
