"""The docstring of a learner's estimator, written from its entry."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent, wrap
from typing import Any, Final

from softlearn.learn import Entry
from softlearn.learn.parameters import Parameter

_WIDTH: Final = 92  # with the indent of a class in a file of 100
_ATTRIBUTES: Final = """
Attributes
----------
model_ : Model
    The circuit, which answers all questions; its methods are the estimator's too.
schema_ : Schema
    The inferred schema: what each column is, and why.
n_features_in_ : int
    Number of columns.
feature_names_in_ : ndarray of str
    Their names, if the table had any.
""".strip()


def docstring(entry: Entry[Any], shared: Mapping[str, Parameter]) -> str:
    """Return what ``help`` shows: the learner's own parameters, then those of all learners."""
    known = {**entry.parameters, **shared}
    parts = [
        "\n".join(wrap(entry.summary, _WIDTH)),
        _prose(entry.description),
        _prose(entry.advice),
        _prose(f"Reference: {entry.reference}"),
        "\n".join(
            ["Parameters", "----------", *(_described(name, one) for name, one in known.items())]
        ),
        _ATTRIBUTES,
        f"Examples\n--------\n{entry.example.strip()}" if entry.example else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def described_type(one: Parameter) -> str:
    """Return the type and default of a parameter, in the format of scikit-learn's docs."""
    no_default = one.default is None
    return one.rule.described if no_default else f"{one.rule.described}, default={one.default!r}"


def _described(name: str, one: Parameter) -> str:
    text = one.help
    if one.only_if is not None:
        text += f" It has an effect only if ``{one.only_if[0]}`` is {one.only_if[1]!r}."
    return f"{name} : {described_type(one)}\n" + indent("\n".join(wrap(text, _WIDTH - 4)), "    ")


def _prose(text: str) -> str:
    return "\n".join(wrap(text, _WIDTH))
