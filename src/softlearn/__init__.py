"""Probabilistic circuits for tables."""

from typing import TYPE_CHECKING

from softlearn.circuit import Categorical, Gaussian, Histogram
from softlearn.errors import SoftlearnError
from softlearn.model import Model, load
from softlearn.table import Column, Schema, infer_schema

if TYPE_CHECKING:
    from softlearn import datasets
    from softlearn.estimators import LearnSPN, SoftLearn

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Column",
    "Gaussian",
    "Histogram",
    "LearnSPN",
    "Model",
    "Schema",
    "SoftLearn",
    "SoftlearnError",
    "__version__",
    "datasets",
    "infer_schema",
    "load",
]


def __getattr__(name: str) -> object:
    """Load what needs scikit-learn, or reads files, when it is first asked for."""
    from importlib import import_module  # noqa: PLC0415

    if name in ("LearnSPN", "SoftLearn"):
        return getattr(import_module("softlearn.estimators"), name)
    if name == "datasets":
        return import_module("softlearn.datasets")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
