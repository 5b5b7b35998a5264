"""The gallery: every example with what it draws. ``python docs/write_gallery.py`` runs them all."""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
import tempfile
from pathlib import Path

from softlearn.experiments.wrapping import wrapped

DOCS = Path(__file__).parent
EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))
PAGE = DOCS / "examples.md"
PICTURES = DOCS / "pictures" / "examples"
_DPI = 80
_HEAD = """# Examples

<!-- Written by python docs/write_gallery.py; change the examples. -->

Short scripts to run and change: `python examples/01_paper_circuit.py` and so on. They print what
they find, and draw what is shown here.
"""


def page() -> str:
    """Return the page: what an example is about, what it draws, and its code."""
    return wrapped(_HEAD + "".join(_section(example) for example in EXAMPLES))


def pictures_of(example: Path) -> list[Path]:
    """Return the stored pictures of an example."""
    return sorted(PICTURES.glob(f"{example.stem}-*.png"))


def draw(example: Path) -> None:
    """Run an example in an empty folder, and keep the pictures that it draws."""
    import matplotlib as mpl  # noqa: PLC0415 - the page alone is written without it

    with tempfile.TemporaryDirectory() as folder, mpl.rc_context({"savefig.dpi": _DPI}):
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(example), run_name="__main__")
        for picture in sorted(Path(folder).glob("*.png")):
            (PICTURES / f"{example.stem}-{picture.name}").write_bytes(picture.read_bytes())


def _section(example: Path) -> str:
    code = example.read_text(encoding="utf-8")
    about = ast.get_docstring(ast.parse(code)) or ""
    title = example.stem[3:].replace("_", " ").capitalize()
    shown = "\n".join(
        f"![{picture.stem.rpartition('-')[2]}]({picture.relative_to(DOCS).as_posix()})"
        for picture in pictures_of(example)
    )
    body = code.partition('"""\n')[2].strip()
    return f"\n## {title}\n\n{about} (`examples/{example.name}`)\n\n{shown}\n\n```py\n{body}\n```\n"


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for one in EXAMPLES:
        draw(one)
    PAGE.write_text(page(), encoding="utf-8")
