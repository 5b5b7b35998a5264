"""All shown code runs and prints what the page says, and nothing public goes without a page."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

import softlearn
from softlearn import estimators, query
from softlearn.cli.main import app
from softlearn.cli.registry import COMMANDS
from softlearn.experiments.wrapping import wrapped
from softlearn.leaf import FAMILIES
from softlearn.learners import LEARNER_FILES

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src"
DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]
README = REPOSITORY / "README.md"
WITH_SHELL = {
    README,
    DOCS / "tour.md",
    DOCS / "scale.md",
    *(DOCS / "howto").glob("*.md"),
}  # whose files are there
REFERENCE = sorted((DOCS / "reference").glob("*.md"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)")

PUBLIC = sorted(
    {
        *softlearn.__all__,
        *query.__all__,
        *estimators.__all__,
        *(family.name for family in FAMILIES),
    }
    - {"__version__"}
)
LEARNER_SOURCES = {SOURCE / f"{module.replace('.', '/')}.py" for module in LEARNER_FILES.values()}
WITH_DOCTESTS = [
    file
    for file in sorted(SOURCE.rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8") and file not in LEARNER_SOURCES
]


class Block(NamedTuple):
    """A block of Python or of the shell, and what the page says that it prints."""

    line: int
    language: str
    code: str
    output: str


def relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """Python and shell blocks; a text block right below one is its output."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    found = []
    for position, fence in enumerate(fences):
        if fence[1] in ("python", "sh"):
            below = fences[position + 1 : position + 2]
            follows = [
                after[2]
                for after in below
                if after[1] == "text" and not text[fence.end() : after.start()].strip()
            ]
            line = text.count("\n", 0, fence.start()) + 1
            found.append(Block(line, fence[1], fence[2], "".join(follows)))
    return found


def run_commands(lines: str) -> None:
    """Run commands in the order of the page; what they print is for people, and not compared."""
    for line in lines.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "pip":
            continue  # `make package` installs what is built into an empty environment
        assert program == "softlearn", line
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}{result.exception!r}"


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_shown_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.language == "sh":
            run_commands(block.code if page in WITH_SHELL else "")
            continue
        padded = "\n" * block.line + block.code  # tracebacks then show the page's own lines
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(padded, str(page), "exec"), namespace)
        shown = f"{relative(page)}, block in line {block.line}, prints:\n{printed.getvalue()}"
        assert printed.getvalue().rstrip() == block.output.rstrip(), shown


@pytest.mark.parametrize("file", WITH_DOCTESTS, ids=relative)
def test_doctests_hold(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    report = doctest.testmod(importlib.import_module(name))
    assert report.attempted > 0
    assert report.failed == 0


@pytest.mark.parametrize("name", LEARNER_FILES)
def test_the_example_of_a_learner_holds(name):
    example = doctest.DocTestFinder(recurse=False).find(getattr(softlearn, name), name)[0]
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", [name for name in PUBLIC if name not in LEARNER_FILES])
def test_public_name_is_documented_by_hand(name):
    """As code: many of the names are also plain words."""
    assert is_shown(rf"\b{re.escape(name)}\b"), "name it in docs/"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_documented_by_hand(command):
    assert is_shown(rf"\bsoftlearn {command}\b"), "show it in docs/, beside the reference"


def is_shown(pattern: str) -> bool:
    """Whether a page that is not written by a program has it as code."""
    pages = "\n".join(by_hand(page.read_text(encoding="utf-8")) for page in PAGES)
    code = [fence[2] for fence in FENCE.finditer(pages)] + INLINE.findall(FENCE.sub("", pages))
    return any(re.search(pattern, text) for text in code)


def by_hand(text: str) -> str:
    return text.partition("<!-- Written by python ")[0]


@pytest.mark.parametrize(("place", "write"), [("PAGE", "page"), ("STUB", "stub")])
def test_what_is_written_from_the_registry_is_what_the_entries_say(place, write):
    script = run_path(str(DOCS / "write_learners.py"))
    message = "run python docs/write_learners.py"
    assert script[place].read_text(encoding="utf-8") == script[write](), message


def test_every_learner_has_a_section():
    page = (DOCS / "learners.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(LEARNER_FILES)


def test_the_python_reference_is_what_the_docstrings_say():
    shown = {page.name: page.read_text(encoding="utf-8") for page in REFERENCE}
    written = run_path(str(DOCS / "write_reference.py"))["reference"]()
    assert shown == written, "run python docs/write_reference.py"


def test_the_gallery_shows_the_examples_and_what_each_draws():
    script = run_path(str(DOCS / "write_gallery.py"))
    message = "run python docs/write_gallery.py"
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"](), message
    assert all(script["pictures_of"](example) for example in script["EXAMPLES"]), message


def test_figures_of_the_readme_are_those_of_the_page_that_it_names():
    _, _, below = README.read_text(encoding="utf-8").partition("## One model for many tasks")
    figures = set(re.findall(r"\b0\.\d{3}\b", below.partition("\n## ")[0]))
    measured = set(re.findall(r"\b0\.\d{3}\b", (DOCS / "tasks.md").read_text(encoding="utf-8")))
    assert len(figures) > 10
    assert figures <= measured, "docs/tasks.md was written anew: bring its figures"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_in_the_python_reference(name):
    page = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    families = {family.name for family in FAMILIES}
    assert name in families or re.search(rf"^#+ (softlearn\.)?{name}$", page, re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [*PAGES, REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "tests" / "README.md"],
    ids=relative,
)
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    inside = [target for target in targets if "://" not in target]
    assert [target for target in inside if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", run_path(str(DOCS / "wrap_lines.py"))["pages"](), ids=str)
def test_long_lines_are_wrapped(page):
    text = page.read_text(encoding="utf-8")
    assert text == wrapped(text), "run python docs/wrap_lines.py"


def test_metadata_are_complete():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"description", "readme", "license", "authors", "keywords", "classifiers"}
    assert wanted <= set(project)
    assert all(value for name, value in project.items() if name in wanted)
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"license: {project['license']}" in citation
    assert "title: " in citation
    assert "authors:" in citation


def test_every_promise_names_a_test_that_exists():
    named = set(re.findall(r"`(test_\w+)`", (DOCS / "trust.md").read_text(encoding="utf-8")))
    sources = [
        file.read_text(encoding="utf-8") for file in (REPOSITORY / "tests").rglob("test_*.py")
    ]
    defined = set(re.findall(r"^def (test_\w+)", "\n".join(sources), re.MULTILINE))
    assert len(named) > 40
    assert named <= defined
