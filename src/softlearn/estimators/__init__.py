"""Circuits behind scikit-learn's interface: the learners, and what is built on them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softlearn.learners import LEARNER_FILES

if TYPE_CHECKING:
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
__all__ += list(LEARNER_FILES)

# Estimators are imported on first use.
_FILE_OF = {
    "AutoCircuit": "auto",
    "CircuitClassifier": "classifier",
    "CircuitImputer": "imputer",
    "CircuitMixture": "mixture",
    "CircuitOutlierDetector": "outliers",
    "Compared": "comparing",
    "Comparison": "comparing",
    "Tuned": "tuning",
    "compare": "comparing",
    "estimator_named": "from_registry",
    "tune": "tuning",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - also the estimator of a learner that was added
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = import_module(f"softlearn.estimators.{_FILE_OF.get(name, 'learners')}")
    return getattr(file, name)
