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
NESTING = 3  # loops, branches, withs and tries inside each other; a chain of elif is one
KERNEL_NESTING = 4  # over nodes, edges and rows there is a loop each
METHODS = 16
PARAMETERS = 8  # beyond that a frozen config; kernels take arrays, not objects, and are exempt

NEGATIVE_EXPONENT = re.compile(r"^[\d_.]+e-\d+$", re.IGNORECASE)

# What is over a budget, and by how much; these may only fall.
DEEP = {
    "circuit/properties.py": 4,
    "circuit/psdd_text.py": 4,
    "experiments/mixed_tables.py": 4,
    "query/expectation.py": 4,
    "kernels/circuit/draw.py": 6,
    "kernels/circuit/maximum.py": 5,
    "kernels/circuit/upward.py": 5,
}
LARGE = {
    "conditions/language.py": 17,
    "learn/psdd/growing.py": 21,
    "leaf/cells.py": 31,
    "leaf/scaled.py": 22,
    "model/density.py": 20,
    "table/column.py": 18,
}
# Powers of two that stand beside what they are for: kernels import no policy, and the others say
# where a reference leaf ends. How many there are.
BESIDE_THEIR_USE = {
    "kernels/circuit/exponential.py": 2,  # how the logarithm of 2 is cut into two numbers
    "kernels/circuit/leaf_totals.py": 2,
    "kernels/circuit/posterior.py": 1,
    "kernels/circuit/program.py": 1,
    "kernels/cluster/incremental.py": 1,
    "kernels/cluster/planes.py": 2,
    "kernels/cluster/rows.py": 1,
    "kernels/grow/bins.py": 1,
    "kernels/grow/links.py": 2,
    "kernels/psdd/gains.py": 1,
    "kernels/seeds.py": 1,
    "leaf/gaussian_far.py": 2,
    "query/far.py": 1,
    "query/workspace.py": 1,
}

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


@over_files(but=POLICY)
def test_small_powers_of_two_are_tolerances_too(file):
    found = [node for node in ast.walk(tree_of(file)) if _is_small_power(node)]
    assert len(found) <= BESIDE_THEIR_USE.get(name_of(file), 0), [ast.unparse(n) for n in found]


@over_files()
def test_functions_are_not_deep(file):
    budget = KERNEL_NESTING if room_of(file) == "kernels" else NESTING
    depths = {f"{f.name}, line {f.lineno}": _nesting(f.body) for f in functions_of(file)}
    budget = DEEP.get(name_of(file), budget)
    assert {name: depth for name, depth in depths.items() if depth > budget} == {}


@over_files()
def test_classes_have_few_methods(file):
    sizes = {
        node.name: len([one for one in node.body if _is_method(one)])
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ClassDef)
    }
    budget = LARGE.get(name_of(file), METHODS)
    assert {name: size for name, size in sizes.items() if size > budget} == {}


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


def _is_small_power(node: ast.AST) -> bool:
    """Whether this is a number to the power of minus a number, such as ``2.0**-50``."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and isinstance(node.left, ast.Constant)
        and isinstance(node.right, ast.UnaryOp)
        and isinstance(node.right.op, ast.USub)
        and isinstance(node.right.operand, ast.Constant)
    )


def _nesting(body: list[ast.stmt]) -> int:
    """How many statements stand inside each other; functions in functions count by themselves."""
    own = [node for node in body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return max(
        (1 + max(map(_nesting, inside)) for inside in map(_blocks, own) if inside), default=0
    )


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement."""
    blocks = [
        getattr(node, name) for name in ("body", "orelse", "finalbody") if hasattr(node, name)
    ]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        blocks.append(part.body)
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        blocks[1:2] = _blocks(node.orelse[0])
    return blocks


def _is_method(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
        ast.unparse(one) == "overload" for one in node.decorator_list
    )
