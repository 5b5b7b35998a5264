"""An estimator for each learner of the registry, made from its entry."""

from __future__ import annotations

from dataclasses import field, fields, make_dataclass
from functools import cache
from typing import Any

from softlearn.estimators.circuit_estimator import CircuitEstimator
from softlearn.estimators.docstring import docstring
from softlearn.learn import LEARNERS, Entry
from softlearn.learn.parameters import parameters_of

HOME = "softlearn.estimators.learners"  # where the classes are found, also by pickle


def estimator_named(name: str) -> type[CircuitEstimator]:
    """Return the estimator of a learner by its name on the command line."""
    return estimator_of(LEARNERS[name])


@cache
def estimator_of(entry: Entry[Any]) -> type[CircuitEstimator]:
    """Return a learner as a class for scikit-learn: its parameters, then those of all learners."""
    defaults = {one.name: one for one in fields(entry.config)}
    own = make_dataclass(
        f"{entry.estimator}Parameters",
        [
            (name, one.rule.annotation, _copied(defaults[name]))
            for name, one in entry.parameters.items()
        ],
        kw_only=True,
        eq=False,
        repr=False,
    )
    body = {
        "__doc__": docstring(entry, parameters_of(CircuitEstimator)),
        "__module__": HOME,
        "learner": entry.name,
    }
    # Fields are collected from the last base on, so that the learner's own come first.
    return make_dataclass(
        entry.estimator,
        [],
        bases=(CircuitEstimator, own),
        namespace=body,
        kw_only=True,
        eq=False,
        repr=False,
    )


def _copied(one: Any) -> Any:  # noqa: ANN401 - a dataclass field, which belongs to one class only
    return field(default=one.default, metadata=one.metadata)
