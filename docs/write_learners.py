"""What is written from the registry of learners: ``python docs/write_learners.py``.

The page of the learners, and the types of their estimators for editors and type checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from textwrap import indent
from typing import Any

from softlearn.datasets import DEBD_NAMES
from softlearn.estimators import learners
from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.estimators.docstring import described_type
from softlearn.experiments.ledger import Ledger
from softlearn.experiments.systems_compared import COMPARED
from softlearn.experiments.systems_tables import published
from softlearn.experiments.wrapping import wrapped
from softlearn.learn import LEARNERS, Entry
from softlearn.learn.parameters import Parameter, parameters_of
from softlearn.learners import LEARNER_FILES
from softlearn.table.column import KINDS

ROWS = Path(__file__).with_name("results") / "systems.jsonl"
PAGE = Path(__file__).with_name("learners.md")
STUB = Path(learners.__file__).with_suffix(".pyi")

_HEAD = """# Learners

<!-- Written by python docs/write_learners.py; change the entries in src/softlearn/learn. -->

Each learner is an [estimator](estimators.md) and a name: for `softlearn fit --learner`, for
`tune`, and for the parameter `estimator` of all that is built on learners.
[Learning](learning.md) explains how growers work.
"""
_STUB_HEAD = '''"""The estimators of all learners.

Written by python docs/write_learners.py; change the entries in src/softlearn/learn.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Literal

from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.model.given import Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema
from softlearn.table.choice import Choice
from softlearn.table.column import Missing
'''


def page() -> str:
    """Return the page: a table of all learners, a section for each, and what they share."""
    entries = [entry_of(estimator) for estimator in LEARNER_FILES]
    rows = [
        f"| [`{entry.estimator}`](#{entry.name}) | `{entry.name}` | {kinds(entry)} | "
        f"{yes(entry.takes.missing)} | {yes(entry.takes.weights)} | {promised(entry)} |"
        for entry in entries
    ]
    table = [
        "| estimator | `--learner` | columns | missing cells | weights | its circuits |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    shared = [
        "## Parameters that all learners share",
        "",
        *parameter_table(parameters_of(CircuitEstimator)),
    ]
    sections = [line for entry in entries for line in section(entry)]
    return wrapped("\n".join([_HEAD, *table, "", *sections, *shared, ""]))


def section(entry: Entry[Any]) -> list[str]:
    """Return what is to be known of one learner."""
    tried = [
        f"`{name}` ({', '.join(map(str, one.grid))})"
        for name, one in entry.parameters.items()
        if one.grid
    ]
    return [
        f"## {entry.estimator}",
        "",
        entry.summary,
        entry.description,
        "",
        entry.advice,
        "",
        f"*Reference:* {entry.reference}",
        "",
        *figures(entry),
        *parameter_table(entry.parameters),
        "",
        *([f"`tune` tries {', '.join(tried)} unless it is given another grid.", ""] * bool(tried)),
    ]


def figures(entry: Entry[Any]) -> list[str]:
    """Return what the learner has reached on binary sets, beside what others have printed."""
    lines = []
    for name, system in COMPARED.items():
        own = [row for row in Ledger(ROWS).rows() if row["system"] == name]
        if system.learner != entry.name or not own:
            continue
        told = []
        for row in sorted(own, key=lambda row: DEBD_NAMES.index(row["dataset"])):
            theirs = published(row["dataset"], name)
            told.append(
                f"{row['dataset']} {row['test']:.2f}"
                + ("" if theirs is None else f" ({theirs:.2f})")
            )
        lines.append(f"*Figures* of {system.label}: {', '.join(told)}.")
    if not lines:
        return []
    said = "Test log-likelihood per row, in brackets as published: [systems](results/systems.md)."
    return [*lines, said, ""]


def parameter_table(known: Mapping[str, Parameter]) -> list[str]:
    """Return parameters by name, what they may be, and what they mean."""
    rows = [
        f"| `{name}` | {cell(described_type(one))} | {cell(one.help)}{condition(one)} |"
        for name, one in known.items()
    ]
    return ["| parameter | may be | meaning |", "|---|---|---|", *rows]


def condition(one: Parameter) -> str:
    """Return when a parameter matters, if not always."""
    if not one.only_if:
        return ""
    return f" It has an effect only if `{one.only_if[0]}` is `{one.only_if[1]!r}`."


def kinds(entry: Entry[Any]) -> str:
    """Return the kinds of columns that a learner takes."""
    taken = [kind for kind in KINDS if kind in entry.takes.kinds]
    return "all kinds" if len(taken) == len(KINDS) else ", ".join(taken)


def promised(entry: Entry[Any]) -> str:
    """Return what holds for a learner's circuits."""
    made = "grown trees" if entry.promises.grower else f"{entry.promises.structure}s"
    return f"deterministic {made}" if entry.promises.deterministic else made


def yes(holds: bool) -> str:
    """Return a truth value as a table shows it."""
    return "yes" if holds else "no"


def cell(text: str) -> str:
    """Return text that a cell of a Markdown table can hold."""
    return text.replace("``", "`").replace("|", "\\|")


def stub() -> str:
    """Return the estimators with their parameters, as a type checker reads them."""
    names = ", ".join(f'"{name}"' for name in sorted(LEARNER_FILES))
    classes = [class_stub(entry_of(estimator)) for estimator in LEARNER_FILES]
    return "\n".join([_STUB_HEAD, f"__all__ = [{names}]", "", *classes])


def class_stub(entry: Entry[Any]) -> str:
    """Return one estimator."""
    types = {one.name: str(one.type).replace("'", '"') for one in fields(CircuitEstimator)}
    own = {name: one.rule.annotation for name, one in entry.parameters.items()}
    estimator = getattr(learners, entry.estimator)
    lines = [f"{one.name}: {own.get(one.name) or types[one.name]}" for one in fields(estimator)]
    given = [
        f"{line} = {text(one.default)}," for line, one in zip(lines, fields(estimator), strict=True)
    ]
    docstring = f'"""{estimator.__doc__}"""'
    body = [
        *docstring.splitlines(),
        "",
        *lines,
        "",
        "def __init__(",
        "    self,",
        "    *,",
        *(f"    {one}" for one in given),
        ") -> None: ...",
    ]
    return f"class {entry.estimator}(CircuitEstimator):\n" + indent("\n".join(body), "    ") + "\n"


def text(value: object) -> str:
    """Return a default as the formatter writes it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def entry_of(estimator: str) -> Entry[Any]:
    """Return the entry of a learner by the name of its estimator."""
    return LEARNERS[estimator.lower()]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
