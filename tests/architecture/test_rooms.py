"""Imports between the rooms point one way, and third parties come in where they are expected."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from architecture.source_tree import (
    FILES,
    REPOSITORY,
    SOURCE,
    name_of,
    room_of,
    run_fresh,
    tree_of,
)


@dataclass(frozen=True)
class Room:
    """What a room may import; ``late`` is for imports inside functions, or for types only."""

    ours: str = ""
    third_party: str = ""
    late: str = ""


# The single source: the table in CONTRIBUTING.md must say the same. A name covers all below it.
ROOMS = {
    "errors": Room(),
    "learners": Room(),
    "markup": Room(),
    "whole_files": Room(),
    "arrays": Room("", "numpy"),
    "numeric_policy": Room("", "numpy"),
    "kernels": Room("arrays", "numpy, numba, llvmlite"),
    "table": Room(
        "errors, markup, arrays, numeric_policy",
        "numpy, scipy",
        "narwhals, pandas, polars, pyarrow",
    ),
    "files": Room("errors, table, whole_files", "", "pyarrow"),
    "leaf": Room("errors, arrays, numeric_policy", "numpy, scipy"),
    "circuit": Room(
        "errors, arrays, numeric_policy, leaf, table.schema, whole_files",
        "numpy, safetensors",
        "networkx",
    ),
    "query": Room(
        "errors, arrays, numeric_policy, table.schema, leaf, circuit, kernels.circuit.program",
        "numpy, scipy",
        "kernels",
    ),
    "stats": Room(
        "errors, arrays, numeric_policy, table.schema, leaf, circuit, kernels.cluster.rows, "
        "kernels.grow.work",
        "numpy, scipy",
        "kernels",
    ),
    "learn": Room(
        "errors, arrays, numeric_policy, learners, table.column, table.schema, leaf, circuit, "
        "stats, query.evidence, query.flows, query.leaf_statistics, query.likelihood, "
        "kernels.cluster.rows, kernels.circuit.program, kernels.grow.work, kernels.psdd.passed, "
        "whole_files",
        "numpy, threadpoolctl, safetensors",
        "kernels, __init__",
    ),
    "scale": Room(
        "errors, arrays, table, files, circuit, stats, learn, kernels.cluster.rows, "
        "kernels.grow.work, whole_files",
        "numpy, dask",
        "distributed, pandas, pyarrow, __init__",
    ),
    "model": Room(
        "errors, markup, arrays, numeric_policy, table, leaf, circuit, query",
        "numpy",
        "learn, scale",
    ),
    "conditions": Room("errors, table, model"),
    "estimators": Room(
        "errors, markup, arrays, numeric_policy, learners, table, circuit, query, learn, model",
        "numpy, sklearn",
        "scale, rich, IPython",
    ),
    "datasets": Room("errors, arrays, table, circuit, model, whole_files", "numpy", "pandas, rich"),
    "show": Room(
        "errors, arrays, numeric_policy, table, leaf, circuit, query, model, conditions",
        "numpy",
        "matplotlib",
    ),
    "web": Room("errors, arrays, table, model, show", "starlette, uvicorn", "__init__"),
    "warm_up": Room("arrays", "numpy", "estimators"),
    "demo": Room(
        "errors, arrays, table, model, estimators, datasets, show, whole_files, __init__",
        "numpy, rich",
        "pandas, matplotlib",
    ),
    "experiments": Room(
        "errors, arrays, numeric_policy, table, leaf, circuit, learn, model, estimators, "
        "datasets, show, whole_files",
        "numpy",
        "scale, matplotlib, rich",
    ),
    "cli": Room(
        "errors, arrays, learners, whole_files, kernels.interpreted",
        "typer, rich",
        "table, files, circuit, learn, scale, model, conditions, estimators, datasets, show, web, "
        "demo, experiments, kernels.announce, warm_up, __init__, "
        "numpy, narwhals, pandas, pyarrow",
    ),
    "__main__": Room("cli"),
    "__init__": Room("errors, learners, table, circuit, model", "", "estimators, datasets, show"),
}
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}
TABLE_HEAD = "| room | may import (ours) | third party | only inside functions |"


@dataclass(frozen=True)
class Import:
    file: str
    line: int
    module: str  # "circuit.flat" if ours, "scipy.special" if not
    ours: bool
    late: bool


@pytest.mark.parametrize("room", ROOMS)
def test_room_keeps_its_doors_shut(room):
    wrong = [
        f"{found.file}:{found.line} imports {found.module}"
        + ("" if found.late else " at the top level")
        for found in _imports_of(room)
        if not _allowed(found, room)
    ]
    assert not wrong


# Files that reach past a front door; for each the reason.
PAST_THE_DOOR = {
    "model/compression.py": "its search for what may go is being moved to circuit",
}


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_shows_at_its_front_door_is_taken_there(room):
    """A room that may know only some files of another takes it from them."""
    wrong = [
        f"{found.file}:{found.line} takes {name} from {found.module}"
        for found, name in _names_taken_by(room)
        if name in _shown_by(found.module.split(".")[0])
        and found.module.split(".")[0] in _known_whole(room)
        and found.file not in PAST_THE_DOOR
    ]
    assert not wrong


def test_nothing_is_excused_that_uses_the_door():
    assert {name for name in PAST_THE_DOOR if not (SOURCE / name).exists()} == set()


def test_every_room_is_listed():
    present = {room_of(file) for file in FILES} | _folders(SOURCE)
    assert present == set(ROOMS), "list a new room in ROOMS and in CONTRIBUTING.md"


def test_no_room_or_file_is_called_utils():
    names = {part.removesuffix(".py") for file in FILES for part in file.parts[-2:]}
    assert not names & NAMELESS


def test_no_two_rooms_know_each_other():
    knows = {room: {f.module.split(".")[0] for f in _imports_of(room) if f.ours} for room in ROOMS}
    mutual = [(a, b) for a in knows for b in knows[a] if a < b and a in knows.get(b, ())]
    assert not mutual


def test_imports_are_absolute():
    relative = [
        f"{name_of(file)}:{node.lineno}"
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert not relative


def test_contributing_shows_the_same_table():
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [
        f"| {_code(room)} | {_code(may.ours)} | {_code(may.third_party)} | {_code(may.late)} |"
        for room, may in ROOMS.items()
    ]
    expected = "\n".join([TABLE_HEAD, "|---|---|---|---|", *rows])
    assert expected in page, f"CONTRIBUTING.md should hold:\n\n{expected}\n"


@pytest.mark.parametrize("room", ["circuit", "query"])
def test_opening_a_model_loads_no_numba(room):
    """A model can be opened and printed without a compiler; a first question then loads it."""
    loaded = run_fresh(f"import sys, softlearn.{room}; print('numba' in sys.modules)")
    assert loaded == "False"


def _imports_of(room: str) -> list[Import]:
    return [found for file in FILES if room_of(file) == room for found in _imports(file)]


def _names_taken_by(room: str) -> Iterator[tuple[Import, str]]:
    """Every name that a room imports from inside another one."""
    for file in FILES:
        if room_of(file) != room:
            continue
        for node, late in _statements(tree_of(file), late=False):
            module = getattr(node, "module", None) or ""
            head, _, inside = module.partition(".")
            if head == "softlearn" and "." in inside and inside.split(".")[0] != room:
                found = Import(name_of(file), node.lineno, inside, True, late)
                yield from ((found, alias.name) for alias in node.names)


@cache
def _shown_by(room: str) -> frozenset[str]:
    """The names in ``__all__`` of a room."""
    door = SOURCE / room / "__init__.py"
    shown = [
        ast.literal_eval(node.value)
        for node in (tree_of(door).body if door.exists() else [])
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "__all__"
        and isinstance(node.value, ast.List)
    ]
    return frozenset(name for names in shown for name in names)


def _known_whole(room: str) -> set[str]:
    """The rooms that a room may import from at all places."""
    may = ROOMS[room]
    return {*may.ours.split(", "), *may.late.split(", ")}


def _imports(file: Path) -> Iterator[Import]:
    """Every import of a file, except the standard library's and those from its own room."""
    for node, late in _statements(tree_of(file), late=False):
        modules = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [_source_of(node.module or "", alias.name) for alias in node.names]
        )
        for module in modules:
            head, _, tail = module.partition(".")
            ours = head == "softlearn"
            name = (tail or "__init__") if ours else module
            if head in sys.stdlib_module_names or (ours and name.split(".")[0] == room_of(file)):
                continue
            yield Import(name_of(file), node.lineno, name, ours, late)


def _source_of(module: str, name: str) -> str:
    """Return the module that ``from module import name`` reaches into."""
    inside = SOURCE.joinpath(*module.split(".")[1:], name)
    ours = module.split(".", maxsplit=1)[0] == "softlearn"
    is_module = ours and (inside.is_dir() or inside.with_suffix(".py").is_file())
    return f"{module}.{name}" if is_module else module


def _statements(node: ast.AST, *, late: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield imports and whether they run late: in a function, or for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        )
        yield from _statements(child, late=late or inside)


def _allowed(found: Import, room: str) -> bool:
    may = ROOMS[room]
    at_top = may.ours if found.ours else may.third_party
    allowed = {*at_top.split(", "), *(may.late.split(", ") if found.late else ())}
    parts = found.module.split(".")
    return any(".".join(parts[: i + 1]) in allowed for i in range(len(parts)))


def _folders(source: Path) -> set[str]:
    """Return the folders that hold anything, also those without Python."""
    kept = [path for path in source.iterdir() if path.is_dir() and path.name != "__pycache__"]
    return {path.name for path in kept if any(path.iterdir())}


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", ")) if names else "–"
