"""The documentation as a site: ``python docs/build_site.py`` (or ``make docs``) writes build/site.

Pages are written for people who read them in the repository, and their links lead to files there.
Here every page goes to its place on the site, and its links follow. Warnings are errors.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
REPOSITORY = DOCS.parent
SITE = REPOSITORY / "build" / "site"
# Pages from outside of docs/: the file in the repository, and its place on the site.
BROUGHT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.txt",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/results/learning-defaults.md": "results/learning-defaults.md",
    "src/softlearn/kernels/README.md": "kernels.md",
    "tests/README.md": "tests.md",
}
# Folders, and the repository's own table of contents, which the site's sidebar replaces.
INSTEAD = {
    "docs/README.md": "index.md",
    "docs/decisions": "decisions/README.md",
    "docs/reference": "reference/README.md",
    "examples": "examples.md",
}
SIDEBAR = {
    "Start": ["tour", "concepts", "examples", "installation"],
    "How to": [
        "Fill missing cells <howto/impute>",
        "Classify <howto/classify>",
        "Draw synthetic rows <howto/synthetic-data>",
        "Find odd rows <howto/outliers>",
        "Ask what is likely if <howto/what-if>",
        "Explore in the browser <howto/explore>",
        "Look in a notebook <howto/notebook>",
        "Work with bigger data <howto/bigger-data>",
        "Compare systems <howto/compare>",
    ],
    "Guide": [
        "tables",
        "learning",
        "learners",
        "evidence",
        "queries",
        "estimators",
        "show",
        "datasets",
        "scale",
    ],
    "Results": [
        "Everyday tasks <tasks>",
        "Drawn rows <tables-benchmark>",
        "Speed <speed>",
        "The paper's experiments <results>",
        "Run them again <reproduce>",
    ],
    "Reference": ["reference/README", "commands", "model-file"],
    "Project": [
        "What is public <stability>",
        "Every promise and its test <trust>",
        "security",
        "changelog",
        "contributing",
        "tests",
        "benchmarks",
        "kernels",
        "decisions/README",
    ],
}
# Pages that a page of the sidebar leads to.
BELOW = {
    "results": "results/*.md",
    "reference/README": "reference/*.md",
    "decisions/README": "decisions/*.md",
}
LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PICTURES = "**/*.png"


def build(site: Path) -> int:
    """Build the site and return 0, or something else if Sphinx has a warning."""
    with tempfile.TemporaryDirectory() as pages:
        gather(Path(pages))
        options = ["--fail-on-warning", "--keep-going", "--fresh-env", "--quiet"]
        return build_main([*options, "-c", str(DOCS), "-b", "html", pages, str(site)])


def gather(pages: Path) -> None:
    """Write all pages as Sphinx reads them."""
    inside = [path.relative_to(REPOSITORY).as_posix() for path in DOCS.rglob("*.md")]
    for source in sorted({*inside, *BROUGHT} - {"docs/README.md"}):
        target = pages / place_of(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (REPOSITORY / source).read_text(encoding="utf-8")
        target.write_text(with_links(text, source), encoding="utf-8")
    for picture in DOCS.glob(PICTURES):
        target = pages / picture.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)
    for page, pattern in BELOW.items():
        below = sorted(path.relative_to(pages).as_posix() for path in pages.glob(pattern))
        own = [f"/{name.removesuffix('.md')}" for name in below if name != f"{page}.md"]
        _append(pages / f"{page}.md", toctree(own))
    for caption, listed in SIDEBAR.items():
        _append(pages / "index.md", toctree(listed, caption))


def place_of(source: str) -> str:
    """Return where a file of the repository is on the site."""
    known = BROUGHT | INSTEAD
    return known.get(source, source.removeprefix("docs/"))


def with_links(text: str, source: str) -> str:
    """Return a page whose links between files lead to pages."""
    home, here = posixpath.dirname(source), posixpath.dirname(place_of(source))

    def follow(link: re.Match[str]) -> str:
        if "://" in link[2]:
            return link[0]
        target = posixpath.normpath(posixpath.join(home, link[2]))
        return f"{link[1]}{posixpath.relpath(place_of(target), here or '.')}{link[3]}"

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(follow, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(follow, text[end:])])


def toctree(names: list[str], caption: str = "") -> str:
    """Return what Sphinx makes a part of the sidebar from."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])


def _append(page: Path, text: str) -> None:
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=SITE, help="the folder to write")
    sys.exit(build(parser.parse_args().out))
