"""Wraps the long lines of all pages that are written by hand: ``python docs/wrap_lines.py``."""

from __future__ import annotations

from pathlib import Path

from softlearn.experiments.wrapping import wrapped
from softlearn.whole_files import write_whole

REPOSITORY = Path(__file__).resolve().parents[1]


def pages() -> list[Path]:
    """Return every page of the repository."""
    folders = ("docs", "benchmarks", "tests", "src")
    inside = [page for folder in folders for page in (REPOSITORY / folder).rglob("*.md")]
    return sorted([*REPOSITORY.glob("*.md"), *inside])


def main() -> None:
    """Write the pages whose lines are too long."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if wrapped(text) != text:
            write_whole(page, wrapped(text))


if __name__ == "__main__":
    main()
