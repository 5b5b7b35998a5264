"""Circuits behind scikit-learn's interface: the learners, and what is built on them."""

from softlearn.estimators.classifier import CircuitClassifier
from softlearn.estimators.imputer import CircuitImputer
from softlearn.estimators.learners import LearnSPN, SoftLearn
from softlearn.estimators.mixture import CircuitMixture
from softlearn.estimators.outliers import CircuitOutlierDetector
from softlearn.estimators.tuning import Tuned, tune

__all__ = [
    "CircuitClassifier",
    "CircuitImputer",
    "CircuitMixture",
    "CircuitOutlierDetector",
    "LearnSPN",
    "SoftLearn",
    "Tuned",
    "tune",
]
