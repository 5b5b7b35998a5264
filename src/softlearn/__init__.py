"""Probabilistic circuits for tables."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softlearn import datasets, show
    from softlearn.circuit import Categorical, Gaussian, Histogram, Scaled
    from softlearn.errors import SoftlearnError
    from softlearn.estimators import (
        CircuitClassifier,
        CircuitImputer,
        CircuitMixture,
        CircuitOutlierDetector,
        LearnSPN,
        SoftLearn,
        tune,
    )
    from softlearn.model import Model, load
    from softlearn.table import Column, Schema, infer_schema

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "CircuitClassifier",
    "CircuitImputer",
    "CircuitMixture",
    "CircuitOutlierDetector",
    "Column",
    "Gaussian",
    "Histogram",
    "LearnSPN",
    "Model",
    "Scaled",
    "Schema",
    "SoftLearn",
    "SoftlearnError",
    "__version__",
    "datasets",
    "infer_schema",
    "load",
    "show",
    "tune",
]

# Where each name is found; nothing is loaded before it is asked for, so that the command line
# and programs that use little wait for little.
_ROOM_OF = {
    **dict.fromkeys(("Categorical", "Gaussian", "Histogram", "Scaled"), "circuit"),
    **dict.fromkeys(("Column", "Schema", "infer_schema"), "table"),
    **dict.fromkeys(("Model", "load"), "model"),
    "SoftlearnError": "errors",
    **dict.fromkeys(("LearnSPN", "SoftLearn", "tune"), "estimators"),
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
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
