"""Estimators built on a learner: how it is cloned, given a schema, and fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from softlearn.arrays import Floats
from softlearn.errors import SoftlearnError
from softlearn.estimators.from_registry import estimator_named
from softlearn.estimators.parameters import AUTO, plain_for_histograms
from softlearn.learners import DEFAULT_LEARNER
from softlearn.model import Model
from softlearn.model.given import Frame, Unknown
from softlearn.model.randomness import RandomState
from softlearn.table import Schema, infer_schema

if TYPE_CHECKING:
    from softlearn.scale import Partitions


def learner_like(estimator: Any, random_state: RandomState = None) -> Any:  # noqa: ANN401
    """Return an unfitted copy of the caller's learner, by default a ``SoftLearn``.

    Parameters
    ----------
    estimator
        What the caller gave: an estimator, the name of a learner, "auto" or None.
    random_state
        The source of randomness of a learner that has none of its own.
    """
    named = DEFAULT_LEARNER if estimator is None else estimator
    learner = _named(named) if isinstance(named, str) else clone(named)
    choices = learner.get_params(deep=False)
    if random_state is not None and choices.get("random_state", 0) is None:
        learner.set_params(random_state=random_state)
    return learner


def with_share_of_time(learner: Any, n_parts: int) -> Any:  # noqa: ANN401
    """Return the learner; several searches divide the time among them."""
    from softlearn.estimators.auto import AutoCircuit  # noqa: PLC0415 - few ask for it

    if isinstance(learner, AutoCircuit) and learner.time_budget is not None:
        learner.set_params(time_budget=learner.time_budget / n_parts)
    return learner


def _named(name: str) -> Any:  # noqa: ANN401
    if name != AUTO:
        return estimator_named(name)()
    from softlearn.estimators.auto import AutoCircuit  # noqa: PLC0415 - few ask for it

    return AutoCircuit()


def with_schema(learner: Any, schema: Schema) -> Any:  # noqa: ANN401
    """Return the learner with a schema."""
    if "schema" not in learner.get_params(deep=False):
        raise SoftlearnError(
            f"estimator must have a parameter schema, as all learners have; "
            f"{type(learner).__name__} has none"
        )
    return learner.set_params(schema=schema)


def schema_for(learner: Any, table: Frame, weights: Floats | None = None) -> Schema:  # noqa: ANN401
    """Return the schema of a table, with the overrides of the learner."""
    choices = learner.get_params(deep=False)
    declared, missing = choices.get("schema"), choices.get("missing", "unobserved")
    if isinstance(declared, Schema):
        return declared
    found = infer_schema(table, overrides=declared, missing=missing, weights=weights)
    return found.override(plain_for_histograms(choices.get("leaf"), found))


def schema_for_parts(learner: Any, rows: Partitions) -> Schema:  # noqa: ANN401
    """Return the schema of a table in parts, with the overrides of the learner."""
    from softlearn.scale import schema_over  # noqa: PLC0415 - loads Dask

    choices = learner.get_params(deep=False)
    declared, missing = choices.get("schema"), choices.get("missing", "unobserved")
    if isinstance(declared, Schema):
        return declared
    found = schema_over(rows, overrides=declared, missing=missing)
    return found.override(plain_for_histograms(choices.get("leaf"), found))


def unknown_of(learner: Any) -> Unknown:  # noqa: ANN401
    """Return what a learner does with levels that it does not know."""
    found: Unknown = learner.get_params(deep=False).get("unknown", "error")
    return found


def fit_learner(learner: Any, table: Frame, weights: object) -> Model:  # noqa: ANN401
    """Fit a learner to a table, and return its model."""
    learner.fit(table, sample_weight=weights)
    model = getattr(learner, "model_", None)
    if not isinstance(model, Model):
        raise SoftlearnError(
            f"estimator must have a Model as model_ after fit; {type(learner).__name__} has "
            f"{'none' if model is None else type(model).__name__}"
        )
    return model
