"""Circuits behind scikit-learn's interface: the learners, and what is built on them."""

from typing import Any

from softlearn.estimators import learners
from softlearn.estimators.auto import AutoCircuit
from softlearn.estimators.classifier import CircuitClassifier
from softlearn.estimators.comparing import Compared, Comparison, compare
from softlearn.estimators.from_registry import estimator_named
from softlearn.estimators.imputer import CircuitImputer
from softlearn.estimators.learners import *  # noqa: F403 - one for each line of the registry
from softlearn.estimators.mixture import CircuitMixture
from softlearn.estimators.outliers import CircuitOutlierDetector
from softlearn.estimators.tuning import Tuned, tune

__all__ = [
    "AutoCircuit",
    "CircuitClassifier",
    "CircuitImputer",
    "CircuitMixture",
    "CircuitOutlierDetector",
    "Compared",
    "Comparison",
    "Tuned",
    "compare",
    "estimator_named",
    "tune",
]
__all__ += learners.__all__


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the estimator of a learner that was added
    return getattr(learners, name)
