"""Probabilistic circuits for tables."""

from softlearn.circuit import Categorical, Gaussian, Histogram
from softlearn.errors import SoftlearnError
from softlearn.model import Model, load
from softlearn.table import Column, Schema, infer_schema

__version__ = "0.1.0"

__all__ = [
    "Categorical",
    "Column",
    "Gaussian",
    "Histogram",
    "Model",
    "Schema",
    "SoftlearnError",
    "__version__",
    "infer_schema",
    "load",
]
