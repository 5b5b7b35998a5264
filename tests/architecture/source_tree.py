"""The library's own source, parsed once, for the tests that keep the house in order."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "softlearn"
FILES = tuple(sorted(SOURCE.rglob("*.py")))


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def name_of(file: Path) -> str:
    """The path as tests print it, such as ``circuit/flat.py``."""
    return file.relative_to(SOURCE).as_posix()


def room_of(file: Path) -> str:
    """The folder below ``softlearn`` that a file lies in, or its own name."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def functions_of(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    found = ast.walk(tree_of(file))
    return [node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def run_fresh(code: str) -> str:
    """Run code in an interpreter of its own and return what it printed."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
