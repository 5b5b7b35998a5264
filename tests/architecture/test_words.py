"""Docs, help, messages and docstrings are plain English: the glossary's words, and no dialect."""

from __future__ import annotations

import re

import pytest

from architecture.source_tree import REPOSITORY, SOURCE

# What readers stumbled over, and what to write instead.
INSTEAD = {
    r"\b(seconds|time|s|less) of the processor\b": "CPU seconds, CPU time",
    r"\bon the clock\b": "elapsed",
    r"to be believed": "the distribution of, the probability of",
    r"\bbelongs? into\b": "belongs in, is missing from",
    r"\bhangs? together\b": "depend on each other",
    r"\bwhat it may be\b": "which values it takes",
    r"\bIf not said\b": "by default",
    r"\bis said as\b": "is given as",
    r"\bwhat is (not )?said\b": "what is given, what is left out",
    r"\bnats a (row|cell|column)\b": "nats per row",
    r"\bone a (row|cell|core|column|node)\b(?! belongs)": "one per row",
    r"\bonce a row\b": "once per row",
    r"\b(is|are) told by\b": "is modelled by, is measured on",
    r"\bin oddity\b": "the least likely first",
    r"\bthat is believed\b": "whose distribution is",
    r"\bpart the (rows|columns)\b": "divide the rows",
    r"\b(it|they) tells? best\b": "it explains best",
    r"\bwhat a missing cell says\b": "how a missing cell is treated",
    r"cells are welcome": "may have missing cells",
    r"\bwho looks on\b": "the progress callback",
    r"\btells? most (about|of)\b": "is the most informative about",
    r"\b(that was|has) never seen\b": "unknown level",
    r"code on this page runs": "is tested",
}
TEXTS = [
    *sorted(REPOSITORY.glob("*.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "examples").glob("*.py")),
    *sorted(path for path in SOURCE.rglob("*") if path.suffix in (".py", ".md", ".js", ".html")),
]
WORDS = 20


@pytest.mark.parametrize("pattern", INSTEAD)
def test_texts_use_plain_words(pattern):
    found = [
        f"{path.relative_to(REPOSITORY)}, line {number}"
        for path in TEXTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert found == [], f"write: {INSTEAD[pattern]}"


def test_the_glossary_has_its_words():
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, below = page.partition("## Words\n")
    rows = re.findall(r"^\| \*\*([\w, ]+)\*\* \|", below.partition("\n## ")[0], re.MULTILINE)
    assert len(rows) == len(set(rows)) >= WORDS
