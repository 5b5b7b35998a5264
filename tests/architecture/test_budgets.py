"""Sizes that keep every file readable at one sitting; a breach is a reason to cut, not to raise."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from architecture.source_tree import FILES, SOURCE, functions_of, name_of, room_of, tree_of

FILE_LINES = 400
BODY_LINES = 50
KERNEL_BODY_LINES = 70  # each function that a kernel is cut into costs compile time
SCRIPT_LINES = 300
PARAMETERS = 8  # beyond that a frozen config; kernels take arrays, not objects, and are exempt

NEGATIVE_EXPONENT = re.compile(r"^[\d_.]+e-\d+$", re.IGNORECASE)

POLICY = [file for file in FILES if name_of(file) == "numeric_policy.py"]
PAGE = sorted((SOURCE / "web" / "page").iterdir())
SCRIPTS = [file for file in PAGE if file.suffix == ".js"]
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
KERNELS = [file for file in FILES if room_of(file) == "kernels"]


def over_files(*, but: list[Path] | None = None) -> pytest.MarkDecorator:
    """Run a test once for each file."""
    files = [file for file in FILES if file not in (but or [])]
    return pytest.mark.parametrize("file", files, ids=name_of)


@over_files()
def test_file_is_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= FILE_LINES


@over_files()
def test_functions_are_short(file):
    budget = KERNEL_BODY_LINES if room_of(file) == "kernels" else BODY_LINES
    sizes = {f"{f.name}, line {f.lineno}": _body_lines(f) for f in functions_of(file)}
    assert {name: size for name, size in sizes.items() if size > budget} == {}


@over_files(but=KERNELS)
def test_functions_take_few_parameters(file):
    sizes = {f"{f.name}, line {f.lineno}": _n_parameters(f) for f in functions_of(file)}
    assert {name: size for name, size in sizes.items() if size > PARAMETERS} == {}


@over_files(but=POLICY)
def test_tolerances_live_in_the_numeric_policy(file):
    tokens = tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline)
    bare = [
        f"line {token.start[0]}: {token.string}"
        for token in tokens
        if token.type == tokenize.NUMBER and NEGATIVE_EXPONENT.match(token.string)
    ]
    assert bare == []


@over_files()
def test_module_opens_with_one_sentence(file):
    docstring = ast.get_docstring(tree_of(file))
    assert docstring
    assert docstring.splitlines()[0].endswith(".")


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_script_is_short_and_says_what_it_is_for(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= SCRIPT_LINES
    assert lines[0].startswith("// ")
    assert lines[0].endswith(".")


@pytest.mark.parametrize("file", PAGE, ids=lambda file: file.name)
def test_the_page_loads_nothing_from_elsewhere(file):
    text = file.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", text)) <= {SVG_NAMESPACE}


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function below its signature and docstring."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if has_docstring else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _n_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    names = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in {"self", "cls"}])
