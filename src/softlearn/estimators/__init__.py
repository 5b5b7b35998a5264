"""The learners as scikit-learn estimators."""

from softlearn.estimators.learners import LearnSPN, SoftLearn

__all__ = ["LearnSPN", "SoftLearn"]
