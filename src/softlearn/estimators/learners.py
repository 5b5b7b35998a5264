"""The estimators of all learners; ``learners.pyi`` shows them to editors and type checkers."""

from softlearn.estimators.from_registry import estimator_of
from softlearn.learn import LEARNERS
from softlearn.learners import LEARNER_FILES

__all__ = list(LEARNER_FILES)


def __getattr__(name: str) -> type:
    """Create an estimator class on first use."""
    entry = LEARNERS.by_estimator(name)
    if entry is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return estimator_of(entry)
