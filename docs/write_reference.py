"""The Python reference, a page per room, from docstrings: ``python docs/write_reference.py``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from textwrap import fill
from types import ModuleType

FOLDER = Path(__file__).with_name("reference")
# In the order of the pages, one per room. A name that several rooms show is described in the first.
ROOMS = (
    "softlearn.model",
    "softlearn.estimators",
    "softlearn.show",
    "softlearn.show.plots",
    "softlearn.web",
    "softlearn.datasets",
    "softlearn.datasets.worlds",
    "softlearn.scale",
    "softlearn.conditions",
    "softlearn.table",
    "softlearn.circuit",
    "softlearn.query",
    "softlearn.errors",
    "softlearn",
)
_FIRST = ("Model", "load", "SoftLearn", "LearnSPN")  # what the others are like
_NOTE = "<!-- Written by python docs/write_reference.py; change the docstrings. -->"
_INDEX = f"""# Python reference

{_NOTE}

Every public name with its docstring, one page per room of the library. Begin with the
[tour](../tour.md); words are explained in [concepts](../concepts.md).
"""
_LINE = 88
_UNDERLINE = re.compile(r"^-{3,}$")


class Plain(str):
    """Text that shows itself without quotes, as an annotation in a signature."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass
class Page:
    """A page while it is written."""

    name: str
    lines: list[str] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)  # of each name that it describes

    def add(self, name: str) -> str:
        """Begin the section of a name, and return its address."""
        taken = [one.lower() for one in self.anchors].count(name.lower())
        self.anchors[name] = f"{name.lower()}-{taken}" if taken else name.lower()
        self.lines += ["", f"## {name}", ""]
        return f"{self.name}.md#{self.anchors[name]}"

    def text(self) -> str:
        """Return the page as Markdown."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)) + "\n"


@dataclass
class Reference:
    """All pages while they are written, and where each name is described."""

    pages: dict[str, Page] = field(default_factory=dict)
    described: dict[str, str] = field(default_factory=dict)

    def module(self, name: str) -> None:
        """Write a module, and every public name that is not yet described."""
        room = name.split(".")[1] if "." in name else name
        summary = _summary(name)
        if room not in self.pages:
            self.pages[room] = Page(room, [f"# {name}", "", _NOTE, "", summary])
        else:
            self.pages[room].lines += ["", f"## {name}", "", summary]
        page = self.pages[room]
        elsewhere, values = [], []
        module = import_module(name)
        for public in public_names(module):
            found = getattr(module, public)
            if inspect.ismodule(found):
                continue
            if not callable(found):
                values.append(f"`{public}`")
            elif _key(found) in self.described:
                elsewhere.append(self.link(public, found, page))
            else:
                self.entry(public, found, page)
        if values:
            page.lines += ["", f"Values: {', '.join(values)}."]
        if elsewhere:
            page.lines += ["", _wrapped(f"Described elsewhere: {', '.join(elsewhere)}.")]

    def link(self, name: str, found: object, page: Page) -> str:
        """Return a link to where a name is described."""
        place = self.described[_key(found)]
        file, _, anchor = place.partition("#")
        return f"[`{name}`]({f'#{anchor}' if file == f'{page.name}.md' else place})"

    def entry(self, name: str, found: object, page: Page) -> None:
        """Write a class or a function."""
        place = self.described[_key(found)] = page.add(name)
        is_error = inspect.isclass(found) and issubclass(found, Exception)
        if not is_error:
            page.lines += ["```py", signature(name, found), "```", ""]
        page.lines += markdown(inspect.getdoc(found) or "")
        if inspect.isclass(found) and not is_error:
            self.methods(found, page, place)

    def methods(self, owner: type, page: Page, place: str) -> None:
        """Write the methods of a class that are ours and not yet described."""
        inherited = []
        for name, method in sorted(own_methods(owner)):
            if _key(method) in self.described:
                inherited.append(self.link(name, method, page))
                continue
            self.described[_key(method)] = place
            page.lines += ["", f"**`{name}`**", ""]
            if not isinstance(method, property):
                page.lines += ["```py", signature(name, method), "```", ""]
            page.lines += markdown(inspect.getdoc(method) or "")
        if inherited:
            page.lines += ["", _wrapped(f"Inherited methods: {', '.join(inherited)}.")]


def reference() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    written = Reference()
    for name in ROOMS:
        written.module(name)
    pages = {f"{name}.md": page.text() for name, page in written.pages.items()}
    rooms = "\n\n".join(_index_entry(page) for page in written.pages.values())
    return {"README.md": f"{_INDEX}\n{rooms}\n", **pages}


def _index_entry(page: Page) -> str:
    title = page.name if page.name == "softlearn" else f"softlearn.{page.name}"
    names = [f"[{name}]({page.name}.md#{anchor})" for name, anchor in page.anchors.items()]
    shown = [f"**[`{title}`]({page.name}.md)** {_summary(title)}", ", ".join(names)]
    return "\n\n".join(_wrapped(text) for text in shown if text)


def _summary(module: str) -> str:
    return _code((inspect.getdoc(import_module(module)) or "").splitlines()[0])


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
    return [_wrapped(item, indent="  ") for item in written]


def _examples(lines: list[str]) -> list[str]:
    return ["```pycon", *[line for line in lines if line.strip()], "```"]


def _prose(lines: list[str]) -> list[str]:
    return [_code(line) for line in lines]


def _wrapped(text: str, indent: str = "") -> str:
    """Return text in lines of at most a hundred letters; code with its spaces may stand in two."""
    return fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


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
    FOLDER.mkdir(exist_ok=True)
    for file, text in reference().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
