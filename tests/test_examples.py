"""The demo and every example run, say something, and stay short."""

import runpy
from pathlib import Path

import pytest

from softlearn import demo, load

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
MOST_LINES = 60


def test_there_are_examples():
    assert [path.name[:2] for path in EXAMPLES][:3] == ["01", "02", "03"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_an_empty_folder(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_a_screen(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < MOST_LINES


def test_the_demo_is_short_and_leaves_its_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    demo.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 80
    assert max(map(len, lines)) <= 90
    assert load(tmp_path / "demo" / "households.safetensors").schema == demo.households().schema
    assert "digraph" in (tmp_path / "demo" / "households.dot").read_text(encoding="utf-8")


def test_the_demo_fills_blanks_better_than_columns_alone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    model = demo.households()
    full, blanks, table = demo.world(model)
    filled = model.impute(table, method="mean")
    for position, name in enumerate(full.columns):
        truth = full[name][blanks[:, position]]
        if model.schema[name].is_discrete:
            right = (filled[name][blanks[:, position]] == truth).mean()
            assert right > (table[name].mode()[0] == truth).mean()
        else:
            off = (filled[name][blanks[:, position]] - truth).abs().mean()
            assert off < (table[name].median() - truth).abs().mean()
