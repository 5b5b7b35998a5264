"""Rules of the parameters that estimators share, and parsing of weights and seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from softlearn.arrays import Floats
from softlearn.errors import SchemaError, SoftlearnError
from softlearn.learn import LEARNERS
from softlearn.learn.grower_config import Leaves
from softlearn.learn.parameters import parameters_of
from softlearn.learn.rules import Rule, is_whole, one_of, whole
from softlearn.table import Schema
from softlearn.table.choice import Choice
from softlearn.table.schema import unknown_name

MOST_ROWS: Final = 2.0**53  # that float64 counts one by one


def _is_random_state(x: object) -> bool:
    return x is None or isinstance(x, np.random.Generator) or whole(0).holds(x)


def _is_estimator(x: object) -> bool:
    if isinstance(x, str):
        return x == AUTO or x in LEARNERS
    # A class has the methods too, but is no estimator yet.
    has_methods = hasattr(x, "fit") and hasattr(x, "get_params") and not isinstance(x, type)
    return x is None or has_methods


def _are_learners(x: object) -> bool:
    return isinstance(x, list | tuple) and len(x) > 0 and all(name in LEARNERS for name in x)


RANDOM_STATE: Final = Rule(
    allowed="a whole number, 0 or more, a numpy.random.Generator or None",
    holds=_is_random_state,
    described="int or numpy.random.Generator, optional",
)
N_JOBS: Final = Rule(
    allowed="a whole number, 1 or more, or None or -1 for all cores",
    holds=lambda x: x is None or whole(1).holds(x) or (is_whole(x) and x == -1),
    described="int, optional",
)
VERBOSE: Final = Rule(
    allowed="0 or 1",
    holds=lambda x: isinstance(x, int | np.integer) and x in (0, 1),
    described="{0, 1}",
)
SCHEMA: Final = Rule(
    allowed="None, a Schema or a mapping of column names to kinds or choices",
    holds=lambda x: x is None or isinstance(x, Schema | Mapping),
    described="Schema or mapping of column name to kind, Column or mapping, optional",
)
UNKNOWN: Final = one_of("error", "missing")
LEARNER_NAMES: Final = Rule(
    allowed="None or a list of names of learners, such as ['softlearn', 'hclt']",
    holds=lambda x: x is None or _are_learners(x),
    described="list of names of learners, optional",
)
AUTO: Final = "auto"  # stands for ``AutoCircuit`` as the name of a learner
ESTIMATOR: Final = Rule(
    allowed="None, the name of a learner such as 'softlearn', 'auto', or an estimator that learns "
    "a circuit, such as SoftLearn()",
    holds=_is_estimator,
)

_LEAVES: Final = parameters_of(Leaves)["leaf"].rule.words


def check_leaves(leaf: object, schema: Schema) -> None:
    """Refuse leaves for columns that are missing or not numbers, and unknown families."""
    if not isinstance(leaf, Mapping):
        return
    for name, family in leaf.items():
        if name not in schema.names:
            raise SchemaError(f"leaf: {unknown_name(name, schema.names)}")
        if schema[name].is_discrete:
            raise SchemaError(
                f"leaf: column {name!r} is {schema[name].kind}, and its leaves are categorical; "
                "take it out of the mapping, or make it numeric in schema"
            )
        if family not in _LEAVES:
            choices = " or ".join(map(repr, _LEAVES))
            raise SoftlearnError(f"leaf: column {name!r} may have {choices}, not {family!r}")


def plain_for_histograms(leaf: object, schema: Schema) -> dict[str, Choice]:
    """Return the columns with histogram leaves, which need plain numbers."""
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
    """Return the weights of training rows, (rows,).

    Weights count rows. If they add to one row or less, or to more rows than float64 can count, they
    are treated as relative weights, with a mean of 1.
    """
    weights = read_weights(sample_weight, n_rows)
    largest = weights.max(initial=0.0)
    total = largest * float(np.sum(weights / largest)) if largest > 0.0 else 0.0
    if largest > 0.0 and not 1.0 < total <= MOST_ROWS:
        shares = weights / largest
        weights = shares * (np.count_nonzero(shares) / shares.sum())
    if np.count_nonzero(weights) < 2 and weights.sum() < 2.0:  # a row of weight 2 is two rows
        raise SoftlearnError("sample_weight leaves fewer than two rows with a weight above zero")
    return weights


def read_seed(random_state: object) -> np.random.SeedSequence:
    """Return the seed of a fit; a generator is advanced, so that the next fit differs."""
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    return np.random.SeedSequence(random_state)  # type: ignore[arg-type]
