"""The Python reference, written from the docstrings: ``python docs/write_reference.py``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).with_name("reference.md")
# In the order of the page. A name that several rooms show is described in the first.
ROOMS = (
    "softlearn",
    "softlearn.model",
    "softlearn.estimators",
    "softlearn.show",
    "softlearn.show.plots",
    "softlearn.web",
    "softlearn.datasets",
    "softlearn.datasets.worlds",
    "softlearn.scale",
    "softlearn.table",
    "softlearn.circuit",
    "softlearn.query",
    "softlearn.errors",
)
_FIRST = ("Model", "load", "SoftLearn", "LearnSPN")  # what the others are like
_HEAD = """# Python reference

<!-- Written by python docs/write_reference.py; change the docstrings. -->

Every public name with its docstring. Begin with the [tour](tour.md); words are explained in
[concepts](concepts.md).
"""
_LINE = 88
_UNDERLINE = re.compile(r"^-{3,}$")


class Plain(str):
    """Text that shows itself without quotes, as an annotation in a signature."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass
class Reference:
    """The page while it is written, and what it has described so far."""

    lines: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def room(self, name: str) -> None:
        """Write a room, and every public name that is not yet described."""
        module = import_module(name)
        summary = (inspect.getdoc(module) or "").splitlines()[0]
        self.lines += ["", f"## {name}", "", summary]
        elsewhere, values = [], []
        for public in public_names(module):
            found = getattr(module, public)
            if inspect.ismodule(found):
                continue
            if not callable(found):
                values.append(f"`{public}`")
            elif _key(found) in self.seen:
                elsewhere.append(f"`{public}`")
            else:
                self.entry(public, found)
        if values:
            self.lines += ["", f"Values: {', '.join(values)}."]
        if elsewhere:
            self.lines += ["", f"Described above: {', '.join(elsewhere)}."]

    def entry(self, name: str, found: object) -> None:
        """Write a class or a function."""
        self.seen.add(_key(found))
        self.lines += ["", f"### {name}", ""]
        is_error = inspect.isclass(found) and issubclass(found, Exception)
        if not is_error:
            self.lines += ["```py", signature(name, found), "```", ""]
        self.lines += markdown(inspect.getdoc(found) or "")
        if inspect.isclass(found) and not is_error:
            self.methods(found)

    def methods(self, owner: type) -> None:
        """Write the methods of a class that are ours and not yet described."""
        inherited = []
        for name, method in sorted(own_methods(owner)):
            if _key(method) in self.seen:
                inherited.append(f"`{name}`")
                continue
            self.seen.add(_key(method))
            if isinstance(method, property):
                self.lines += ["", f"**`{name}`**", ""]
            else:
                self.lines += ["", f"**`{name}`**", "", "```py", signature(name, method), "```", ""]
            self.lines += markdown(inspect.getdoc(method) or "")
        if inherited:
            self.lines += ["", f"Methods described above: {', '.join(inherited)}."]


def reference() -> str:
    """Return the whole page."""
    page = Reference()
    for room in ROOMS:
        page.room(room)
    return _HEAD + re.sub(r"\n{3,}", "\n\n", "\n".join(page.lines)) + "\n"


def public_names(module: ModuleType) -> list[str]:
    """Return what a module says is public, or else what it defines without an underscore."""
    if hasattr(module, "__all__"):
        names = [name for name in module.__all__ if not name.startswith("_")]
        return sorted(names, key=lambda name: (name not in _FIRST, [*_FIRST, name].index(name)))
    return [
        name
        for name, found in vars(module).items()
        if not name.startswith("_") and getattr(found, "__module__", "") == module.__name__
    ]


def own_methods(owner: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of a class that are written in this library."""
    for name in dir(owner):
        found = inspect.getattr_static(owner, name)
        if name.startswith("_"):
            continue
        if isinstance(found, classmethod | staticmethod):
            found = found.__func__
        code = found.fget if isinstance(found, property) else found
        if inspect.isfunction(code) and code.__module__.startswith("softlearn"):
            yield name, found


def signature(name: str, found: object) -> str:
    """Return how something is called, on several lines if it is long."""
    asked = inspect.signature(found)  # type: ignore[arg-type]
    given = [
        one.replace(annotation=_plain(one.annotation))
        for one in asked.parameters.values()
        if one.name not in ("self", "cls")
    ]
    returned = inspect.Signature.empty if inspect.isclass(found) else asked.return_annotation
    shown = asked.replace(parameters=given, return_annotation=_plain(returned))
    line = f"{name}{shown}"
    if len(line) <= _LINE:
        return line
    inside, _, behind = str(shown).rpartition(")")
    rows = [f"    {one}," for one in _split(inside[1:])]
    return "\n".join([f"{name}(", *rows, f"){behind}"])


def markdown(docstring: str) -> list[str]:
    """Return a NumPy-style docstring as Markdown."""
    lines = docstring.splitlines()
    starts = [i for i, line in enumerate(lines) if i and _UNDERLINE.match(line)]
    bounds = [start - 1 for start in starts] + [len(lines)]
    written = _prose(lines[: bounds[0]])
    for start, end in zip(starts, bounds[1:], strict=True):
        title, body = lines[start - 1], lines[start + 1 : end]
        written += ["", f"*{title}*", ""]
        written += _examples(body) if title == "Examples" else _entries(body)
    return written


def _entries(lines: list[str]) -> list[str]:
    """Return ``name : type`` and its indented text as items of a list."""
    written: list[str] = []
    is_named = False  # the line before was a name
    for line in filter(str.strip, lines):
        if line.startswith(" "):
            written[-1] += (": " if is_named else " ") + _code(line.strip())
        else:
            name, _, kind = line.partition(" : ")
            written.append(f"- `{name}`" + (f" ({_code(kind)})" if kind else ""))
        is_named = not line.startswith(" ")
    return written


def _examples(lines: list[str]) -> list[str]:
    return ["```pycon", *[line for line in lines if line.strip()], "```"]


def _prose(lines: list[str]) -> list[str]:
    return [_code(line) for line in lines]


def _code(text: str) -> str:
    """Return Markdown's backticks for those of reStructuredText."""
    return text.replace("``", "`")


def _plain(annotation: object) -> object:
    text = getattr(annotation, "__forward_arg__", annotation)  # a named tuple's annotation
    return Plain(text) if isinstance(text, str) else annotation


def _split(parameters: str) -> list[str]:
    """Split at the commas that stand in no bracket and in no text."""
    parts, depth, quoted = [""], 0, False
    for letter in parameters:
        quoted ^= letter == "'"
        depth += 0 if quoted else (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _key(found: object) -> str:
    code = found.fget if isinstance(found, property) else found
    return f"{getattr(code, '__module__', '')}.{getattr(code, '__qualname__', repr(code))}"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
