"""What each parameter of an estimator may be, as data, and the messages that say so."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError, SoftlearnError
from softlearn.table import Schema
from softlearn.table.choice import Choice
from softlearn.table.schema import unknown_name

LEAVES: Final = ("gaussian", "histogram")
LARGEST_CONTAMINATION: Final = 0.5  # beyond it the outliers are the rule


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - whatever the caller gave
    return value


class Rule(NamedTuple):
    """What is allowed, in words and as a test, and how it is read.

    Numbers are read as Python's own: kernels are compiled anew for every other type.
    """

    allowed: str
    holds: Callable[[object], bool]
    read: Callable[[Any], Any] = _as_it_is


def one_of(*choices: str) -> Rule:
    """Return the rule for words."""
    return Rule(" or ".join(map(repr, choices)), lambda x: isinstance(x, str) and x in choices)


def _is_whole(x: object) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _is_number(x: object) -> bool:
    return isinstance(x, float | np.floating) or _is_whole(x)


def _whole(least: int) -> Rule:
    def holds(x: Any) -> bool:  # noqa: ANN401
        return _is_whole(x) and bool(x >= least)

    return Rule(f"a whole number, {least} or more", holds, int)


def _number(allowed: str, fits: Callable[[float], bool]) -> Rule:
    def holds(x: Any) -> bool:  # noqa: ANN401
        return _is_number(x) and math.isfinite(x) and fits(x)

    return Rule(allowed, holds, float)


def _or_none(rule: Rule) -> Rule:
    return Rule(
        f"{rule.allowed}, or None",
        lambda x: x is None or rule.holds(x),
        lambda x: None if x is None else rule.read(x),
    )


def _is_random_state(x: object) -> bool:
    return x is None or isinstance(x, np.random.Generator) or _whole(0).holds(x)


def _is_estimator(x: object) -> bool:
    # A class has the methods too, but is no estimator yet.
    has_methods = hasattr(x, "fit") and hasattr(x, "get_params") and not isinstance(x, type)
    return x is None or has_methods


# In the order of the estimators' documentation.
RULES: Final[dict[str, Rule]] = {
    "clustering": one_of("em", "kmeans"),
    "n_clusters": _or_none(_whole(1)),
    "test": one_of("chi2", "g"),
    "significance": _or_none(
        _number("a number between 0 and 1, both excluded", lambda x: 0.0 < x < 1.0)
    ),
    "smoothing_per": _or_none(one_of("column", "level")),
    "smoothing": _number("a number, 0 or more", lambda x: x >= 0.0),
    "beta": _number("a number above 0", lambda x: x > 0.0),
    "max_iter": _whole(1),
    "min_weight": _number("a number, 0 or more", lambda x: x >= 0.0),
    "leaf": Rule(
        "'gaussian', 'histogram' or a mapping of column names to them",
        lambda x: isinstance(x, Mapping) or (isinstance(x, str) and x in LEAVES),
    ),
    "max_depth": _or_none(_whole(0)),
    "max_nodes": _or_none(_whole(1)),
    "time_budget": _or_none(_number("a number of seconds above 0", lambda x: x > 0.0)),
    "random_state": Rule(
        "a whole number, 0 or more, a numpy.random.Generator or None", _is_random_state
    ),
    "n_jobs": Rule(
        "a whole number, 1 or more, or None or -1 for all cores",
        lambda x: x is None or _whole(1).holds(x) or (_is_whole(x) and x == -1),
    ),
    "verbose": Rule("0 or 1", lambda x: isinstance(x, int | np.integer) and x in (0, 1)),
    "on_interrupt": one_of("raise", "keep"),
    "schema": Rule(
        "None, a Schema or a mapping of column names to kinds or choices",
        lambda x: x is None or isinstance(x, Schema | Mapping),
    ),
    "missing": one_of("unobserved", "modelled"),
    "unknown": one_of("error", "missing"),
    # Of the estimators that are built on these.
    "estimator": Rule(
        "None, or an estimator that learns a circuit, such as SoftLearn()", _is_estimator
    ),
    "structure": one_of("joint", "per_class"),
    "method": one_of("most_probable", "mean", "draw"),
    "contamination": _number(
        "a number above 0, at most 0.5", lambda x: 0.0 < x <= LARGEST_CONTAMINATION
    ),
    "n_estimators": _whole(1),
    "bootstrap": Rule("True or False", lambda x: isinstance(x, bool | np.bool_), bool),
}


def read_parameters(
    given: Mapping[str, object], own: Mapping[str, Rule] | None = None
) -> dict[str, Any]:
    """Return the parameters as learners read them, or refuse the first that is wrong.

    Parameters
    ----------
    given
        Values by name.
    own
        Rules that an estimator has of its own, instead of those of all.
    """
    rules = {**RULES, **(own or {})}
    for name, value in given.items():
        if not rules[name].holds(value):
            raise SoftlearnError(f"{name} must be {rules[name].allowed}, not {value!r}")
    return {name: rules[name].read(value) for name, value in given.items()}


def check_leaves(leaf: object, schema: Schema) -> None:
    """Refuse leaves for columns that are not there or not numbers, and families unknown."""
    if not isinstance(leaf, Mapping):
        return
    for name, family in leaf.items():
        if name not in schema.names:
            raise SchemaError(f"leaf: {unknown_name(name, schema.names)}")
        if schema[name].is_discrete:
            raise SchemaError(
                f"leaf: column {name!r} is {schema[name].kind}, and its leaves are categorical; "
                "take it out of the mapping, or say in schema that it is numeric"
            )
        if family not in LEAVES:
            choices = " or ".join(map(repr, LEAVES))
            raise SoftlearnError(f"leaf: column {name!r} may have {choices}, not {family!r}")


def plain_for_histograms(leaf: object, schema: Schema) -> dict[str, Choice]:
    """Return the columns that histogram leaves are wanted for: these need plain numbers."""
    wanted = leaf if isinstance(leaf, Mapping) else dict.fromkeys(schema.names, leaf)
    return {
        column.name: {"scale": "plain"}
        for column in schema
        if not column.is_discrete and wanted.get(column.name) == "histogram"
    }


def read_weights(sample_weight: object, n_rows: int) -> Floats:
    """Return the weight of each row, (rows,)."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SoftlearnError(f"sample_weight must be numbers, one per row ({error})") from error
    if weights.shape != (n_rows,):
        raise SoftlearnError(
            f"sample_weight must hold one number for each of the {n_rows} rows, not an array of "
            f"shape {weights.shape}"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise SoftlearnError(
            f"sample_weight must be finite and not negative; row {first} has {weights[first]:g}"
        )
    return weights


def read_training_weights(sample_weight: object, n_rows: int) -> Floats:
    """Return the starting weight of each row, (rows,), of rows to learn from."""
    weights = read_weights(sample_weight, n_rows)
    if np.count_nonzero(weights) < 2 and weights.sum() < 2.0:  # a row of weight 2 is two rows
        raise SoftlearnError("sample_weight leaves fewer than two rows with a weight above zero")
    return weights


def read_seed(random_state: object) -> np.random.SeedSequence:
    """Return the seed of a fit; a generator moves on, so that its next fit differs."""
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    return np.random.SeedSequence(random_state)  # type: ignore[arg-type]
