"""Write one page with all results."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

from softlearn.errors import SoftlearnError
from softlearn.experiments.catalogue import EXPERIMENTS
from softlearn.experiments.document import Document, Paragraph
from softlearn.experiments.experiment import QUICK, document_of, write_pictures
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.markdown import as_markdown
from softlearn.experiments.web_page import as_page
from softlearn.whole_files import write_whole

TITLE: Final = "The experiments of the SoftLearn paper, run anew"
_PACKAGES: Final = ("softlearn", "numpy", "scipy", "numba")


def write_report(out: Path) -> tuple[Path, Path]:
    """Write ``report.html``, whole in itself, from the rows of a folder, and the same as Markdown.

    The Markdown stands beside the folder and has its name: ``results.md`` for ``results``.

    Parameters
    ----------
    out
        The folder in which experiments have left their rows.
    """
    documents = documents_in(out)
    if not documents:
        names = ", ".join(EXPERIMENTS)
        raise SoftlearnError(
            f"{out} holds no rows to report; first run one of softlearn reproduce {names}"
        )
    about = Paragraph(
        "Every table and figure is made from rows of fits by the command below it. "
        f"Page written by `softlearn reproduce report`, Python {python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
        + "."
    )
    for document in documents:
        write_pictures(document, out)
    out = out.resolve()
    page, text = out / "report.html", out.with_name(out.name + ".md")
    parts = [as_markdown(Document(TITLE, [about]))]
    parts += [as_markdown(document, level=2, folder=f"{out.name}/") for document in documents]
    write_whole(text, "\n".join(parts).encode())
    write_whole(page, as_page(TITLE, about, documents).encode())
    return page, text


def documents_in(out: Path) -> Sequence[Document]:
    """Return what the rows of a folder say, full runs before quick ones."""
    found = []
    for quick in (False, True):
        for name, experiment in EXPERIMENTS.items():
            rows = Ledger(out / f"{name}{QUICK if quick else ''}.jsonl").rows()
            if rows:
                found.append(document_of(experiment, rows, quick=quick))
    return found
