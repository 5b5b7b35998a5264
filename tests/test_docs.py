"""All shown code runs and prints what the page says, and nothing public goes without a page."""

from __future__ import annotations

import doctest
import importlib
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

import softlearn
from softlearn import estimators, query
from softlearn.leaf import FAMILIES

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src"
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
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
WITH_DOCTESTS = [
    file for file in sorted(SOURCE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")
]


class Block(NamedTuple):
    """A Python block and what the page says that it prints."""

    line: int
    code: str
    output: str


def relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """Python blocks; a text block right below one is its output."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    found = []
    for position, fence in enumerate(fences):
        if fence[1] == "python":
            below = fences[position + 1 : position + 2]
            follows = [
                after[2]
                for after in below
                if after[1] == "text" and not text[fence.end() : after.start()].strip()
            ]
            line = text.count("\n", 0, fence.start()) + 1
            found.append(Block(line, fence[2], "".join(follows)))
    return found


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_shown_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page):
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


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_documented(name):
    """As code: many of the names are also plain words."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    code = [fence[2] for fence in FENCE.finditer(pages)] + INLINE.findall(FENCE.sub("", pages))
    assert any(re.search(rf"\b{re.escape(name)}\b", text) for text in code), "name it in docs/"


@pytest.mark.parametrize(
    "page",
    [*PAGES, REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "tests" / "README.md"],
    ids=relative,
)
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    inside = [target for target in targets if "://" not in target]
    assert [target for target in inside if not (page.parent / target).exists()] == []
