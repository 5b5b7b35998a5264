"""What every command of the registry keeps: help, JSON, exit codes, and a place in the docs."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from runpy import run_path

import pytest

from softlearn.cli.registry import COMMANDS, all_places, load_command

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "commands.md"
WRITER = run_path(str(REPOSITORY / "docs" / "write_commands.py"))

# How each command is called; the names of the fixtures' files stand for them.
CALLS = {
    "demo": [],
    "fit": ["TRAINING", "-o", "new.safetensors", "--max-depth", "1"],
    "describe": ["MODEL"],
    "query": ["MODEL", "sex", "--given", "age>=60"],
    "score": ["MODEL", "TABLE"],
    "sample": ["MODEL", "-n", "3", "--seed", "0"],
    "impute": ["MODEL", "TABLE"],
    "classify": ["MODEL", "TABLE", "--target", "stage"],
    "outliers": ["MODEL", "TABLE", "-n", "2"],
    "explore": ["MODEL", "--data", "TABLE", "--port", "0", "--no-browser"],
    "plot": ["marginals", "MODEL", "-o", "new.png", "--columns", "sex"],
    "tune": ["TRAINING", "-o", "new.safetensors", "--significance", "0.01"],
    "compare": ["TRAINING", "--learners", "chowliutree,learnpsdd"],
    "schema": ["TABLE", "--drop", "name"],
    "convert": ["MODEL", "new.json"],
    "warm-up": [],
    "datasets list": [],
    "datasets info": ["bank"],
    "datasets fetch": ["nltcs"],
    "reproduce binary": [],
    "reproduce grid": [],
    "reproduce mixed": [],
    "reproduce samples": [],
    "reproduce mnist": [],
    "reproduce badcluster": [],
    "reproduce depth": [],
    "reproduce systems": [],
    "reproduce records": [],
    "reproduce report": [],
}
WRITERS = {"fit", "plot", "tune", "convert"}


@pytest.fixture
def arguments(tmp_path, monkeypatch, model_file, table_file, training_file):
    """Return what a command is called with, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    named = {"MODEL": model_file.name, "TABLE": table_file.name, "TRAINING": training_file.name}

    def of(name):
        return [*name.split(), *(named.get(one, one) for one in CALLS[name])]

    return of


@pytest.fixture
def small_worlds(monkeypatch):
    """Spare the tests what others do at length: the demo, downloads, experiments."""
    from softlearn import datasets, demo, experiments, web
    from softlearn.experiments.document import Document

    monkeypatch.setattr(demo, "main", lambda: {"asked": "answered"})
    monkeypatch.setattr(datasets, "fetch", lambda name: (Path("folder") / name,))
    produced = experiments.Produced(1, 1, Document("nothing", ()), (Path("results"),))
    monkeypatch.setattr(experiments, "reproduce", lambda *_, **__: produced)
    monkeypatch.setattr(web, "serve", lambda *given: given[-1](given[-2].url))
    monkeypatch.setattr(experiments, "write_report", lambda out: (out / "report.html",))


def test_every_command_has_a_call_here():
    assert set(CALLS) == set(all_places())


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("small_worlds")
def test_json_is_valid_and_alone_on_standard_output(name, arguments, run):
    result = run(*arguments(name), "--json")
    assert result.exit_code == 0, result.stderr
    documents = [json.loads(line, parse_constant=_refuse) for line in result.stdout.splitlines()]
    assert documents
    assert all(isinstance(document, dict) for document in documents)


def _refuse(word):
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize("name", CALLS)
def test_help_says_what_the_command_does(name, run):
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    first = (load_command(all_places()[name]).__doc__ or "").replace("`", "").split()[:3]
    assert " ".join(first) in " ".join(result.stdout.split())


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_option_is_wrong_usage(name, run):
    assert run(*name.split(), "--no-such-option").exit_code == 2


@pytest.mark.parametrize("name", CALLS)
def test_every_command_shows_examples_of_itself(name):
    examples = load_command(all_places()[name]).examples
    assert examples
    assert all(f"softlearn {name}" in example for example in examples)


@pytest.mark.parametrize("name", sorted(WRITERS))
@pytest.mark.usefixtures("small_worlds")
def test_a_file_is_replaced_only_by_force(name, arguments, run, tmp_path):
    call = arguments(name)
    path = tmp_path / next(one for one in call if one.startswith("new."))
    path.write_text("precious", encoding="utf-8")
    refused = run(*call)
    assert refused.exit_code == 2
    assert f"{path.name} exists already; pass --force" in refused.stderr
    assert path.read_text(encoding="utf-8") == "precious"
    assert run(*call, "--force").exit_code == 0
    assert path.read_bytes() != b"precious"


def test_the_reference_is_what_the_help_says():
    page = PAGE.read_text(encoding="utf-8")
    message = "run python docs/write_commands.py"
    assert WRITER["updated"](page) == page, message


def test_the_reference_has_a_section_for_every_command():
    page = PAGE.read_text(encoding="utf-8").partition(WRITER["MARKER"])[2]
    sections = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert sections == list(all_places())


def test_one_file_holds_one_command():
    """A group, such as datasets, is one command with several verbs."""
    folder = Path(import_module("softlearn.cli.commands").__file__).parent
    files = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert files == {name.replace("-", "_") for name in COMMANDS}


def test_a_misspelt_command_is_guessed(run):
    result = run("imput")
    assert result.exit_code == 2
    assert "Did you mean 'impute'" in " ".join(result.stderr.split())


def test_the_version_is_told(run):
    from softlearn import __version__

    assert run("--version").stdout.strip() == f"softlearn {__version__}"
