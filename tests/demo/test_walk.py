"""The demo as a whole: what it prints, returns and leaves behind."""

from __future__ import annotations

import json

import pytest

from softlearn import demo, load
from softlearn.demo import findings, page, pictures
from softlearn.demo.page import WIDTH, bar, percent


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Spare most of the comparison, which has its own test."""
    monkeypatch.setattr(findings, "_N_TABLES", 1)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo"


def test_the_demo_fits_two_screens_and_leaves_its_files(small, capsys):
    found = demo.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 80
    assert max(map(len, lines)) <= WIDTH
    assert json.loads(json.dumps(found)) == found
    names = ["households.safetensors", "overview.png", "marginals.png", "pairs.png"]
    assert sorted(path.name for path in small.iterdir()) == sorted([*names, "structure.png"])
    assert sorted(found["files"]) == sorted(f"demo/{path.name}" for path in small.iterdir())
    assert "income" in load(small / "households.safetensors").schema.names


def test_without_matplotlib_it_says_what_is_left_out(small, capsys, monkeypatch):
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    found = demo.main()
    assert "no pictures: they need matplotlib" in capsys.readouterr().out
    assert [path.name for path in small.iterdir()] == ["households.safetensors"]
    assert len(found["files"]) == 1


def test_a_bar_is_as_long_as_its_share():
    assert bar(1.0, 10) == "█" * 10
    assert bar(0.55, 10) == "█" * 5 + "▌"
    assert bar(0.0, 10) == bar(-1.0, 10) == ""
    assert len(bar(7.0, 10)) == 10


def test_shares_are_told_in_per_cent():
    assert percent(0.124) == "12 %"


def test_steps_are_numbered(capsys):
    told = page.Page()
    told.title("first")
    told.title("second")
    assert [line[0] for line in capsys.readouterr().out.splitlines() if line] == ["1", "2"]
