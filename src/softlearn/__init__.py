"""Probabilistic circuits for tables."""

from typing import TYPE_CHECKING

from softlearn.learners import LEARNER_FILES

if TYPE_CHECKING:
    from softlearn import datasets, show
    from softlearn.circuit import Categorical, Gaussian, Histogram, Scaled
    from softlearn.errors import SoftlearnError
    from softlearn.estimators import (
        AutoCircuit,
        CircuitClassifier,
        CircuitImputer,
        CircuitMixture,
        CircuitOutlierDetector,
        compare,
        tune,
    )
    from softlearn.estimators.learners import *  # noqa: F403 - one for each learner
    from softlearn.model import Model, load
    from softlearn.table import Column, Schema, infer_schema

__version__ = "0.1.0"

__all__ = [
    "AutoCircuit",
    "Categorical",
    "CircuitClassifier",
    "CircuitImputer",
    "CircuitMixture",
    "CircuitOutlierDetector",
    "Column",
    "Gaussian",
    "Histogram",
    "Model",
    "Scaled",
    "Schema",
    "SoftlearnError",
    "__version__",
    "compare",
    "datasets",
    "infer_schema",
    "load",
    "show",
    "tune",
]
__all__ += list(LEARNER_FILES)  # and the estimator of each learner

# Where each name is found; nothing is loaded before it is asked for, so that the command line
# and programs that use little wait for little.
_ROOM_OF = {
    **dict.fromkeys(("Categorical", "Gaussian", "Histogram", "Scaled"), "circuit"),
    **dict.fromkeys(("Column", "Schema", "infer_schema"), "table"),
    **dict.fromkeys(("Model", "load"), "model"),
    "SoftlearnError": "errors",
    **dict.fromkeys(("AutoCircuit", "compare", "tune", *LEARNER_FILES), "estimators"),
    **dict.fromkeys((name for name in __all__ if name.startswith("Circuit")), "estimators"),
}
_ROOMS = ("circuit", "datasets", "errors", "estimators", "model", "query", "show", "table", "web")


def __getattr__(name: str) -> object:
    """Load a public name, or a room, when it is first asked for."""
    from importlib import import_module  # noqa: PLC0415

    if name in _ROOM_OF:
        return getattr(import_module(f"softlearn.{_ROOM_OF[name]}"), name)
    if name in _ROOMS:
        return import_module(f"softlearn.{name}")
    if not name.startswith("_"):  # perhaps of a learner that was added to the registry
        added = getattr(import_module("softlearn.estimators.learners"), name, None)
        if added is not None:
            return added
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
